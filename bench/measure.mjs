import { median } from './median.mjs'
import { processorSeconds, startProgram } from './processes.mjs'

// Many short rounds, because the speed of a shared machine changes within seconds and only rounds close in time can be
// compared. The warm-up is long enough for the larger program to be optimised as well as the smaller. Latencies come from
// one longer run: in a short one, the first requests of new connections are more than one in a hundred.
export const settings = { connections: 50, rounds: 13, secondsPerRound: 0.5, warmUpSeconds: 2.5, secondsForLatency: 5 }

// A round in which other programs took more than this share of one core is repeated, up to a limit.
export const toleratedShare = 0.15
const maxRepetitions = 15

/**
 * Measures a route and its references in turn, one server at a time, so that a disturbance of the machine affects all of
 * them. Returns one row for each reference.
 */
export async function measureRoute({ service, databaseUrl, loader }, route) {
  const server = route.server ?? service
  const request = { method: 'GET', headers: {}, ...route.request }
  // With many paths the first stands for all: their replies are alike.
  request.path ??= request.paths[0]
  const reply = await readReply(server.origin, request)
  const references = []
  try {
    for (const reference of route.references) {
      references.push(
        await startProgram(`servers/${reference.kind === 'unchecked' ? 'unchecked' : 'reference'}.mjs`, {
          reply,
          reference,
          databaseUrl,
        }),
      )
    }
    const subjects = [server, ...references]
    const load = (subject, seconds) => loadServer(loader, subject, request, reply.status, seconds)
    for (const subject of subjects) await load(subject, settings.warmUpSeconds)
    const rounds = await takeRounds(subjects, (subject) =>
      load(subject, route.secondsPerRound ?? settings.secondsPerRound),
    )
    const latencies = await takeLatencies(subjects, load)
    return route.references.map((reference, index) => {
      const row = compare(rounds, latencies, index + 1)
      console.log(rowText(route.label, reference, row))
      return { label: route.label, kind: reference.kind, atLeast: reference.atLeast, ...row }
    })
  } finally {
    for (const { stop } of references) await stop()
  }
}

async function readReply(origin, { method, path, headers, body }) {
  const reply = await fetch(origin + path, { method, headers, body, redirect: 'manual' })
  const bytes = Buffer.from(await reply.arrayBuffer())
  return {
    status: reply.status,
    contentType: reply.headers.get('content-type'),
    body: bytes.toString('base64'),
    sizeBytes: bytes.length,
  }
}

async function takeRounds(subjects, load) {
  const rounds = []
  for (let repetitions = 0; rounds.length < settings.rounds; ) {
    const order = [...subjects.keys()]
    // Alternate the order, so that none always comes first.
    if (rounds.length % 2 === 1) order.reverse()
    const round = []
    for (const index of order) {
      do round[index] = await load(subjects[index])
      while (round[index].othersShare > toleratedShare && repetitions++ < maxRepetitions)
    }
    rounds.push(round)
  }
  return rounds
}

/** The least disturbed of up to three runs. */
async function takeLatencies(subjects, load) {
  const latencies = []
  for (const subject of subjects) {
    const runs = []
    do runs.push(await load(subject, settings.secondsForLatency))
    while (runs.at(-1).othersShare > toleratedShare && runs.length < 3)
    latencies.push(runs.toSorted((a, b) => a.othersShare - b.othersShare)[0])
  }
  return latencies
}

async function loadServer(loader, { origin, pid }, { method, path, paths, headers, body }, status, seconds) {
  const { connections } = settings
  const before = processorSeconds(pid)
  const startedAt = performance.now()
  const load = { url: origin + path, method, headers, body, paths, connections, seconds }
  const { statuses, errors, requests, perSecond, p50, p99 } = await loader.call(load, seconds + 20)
  const elapsedSeconds = (performance.now() - startedAt) / 1000
  const after = processorSeconds(pid)
  if (errors > 0 || Object.keys(statuses).join() !== String(status)) {
    throw new Error(`${method} ${path}: expected ${status} only, got ${JSON.stringify({ ...statuses, errors })}`)
  }
  const spent = (whose) => after[whose] - before[whose]
  return {
    perSecond,
    p50,
    p99,
    processorMicroseconds: before && (spent('process') * 1e6) / requests,
    othersShare: before ? (spent('machine') - spent('ours')) / elapsedSeconds : 0,
  }
}

/** Medians over the rounds, except for latencies. Ratios are taken within a round, where both sides met the same machine. */
function compare(rounds, latencies, index) {
  const medianOf = (figure) => median(rounds.map(figure))
  const sideOf = (at) => ({
    perSecond: medianOf((round) => round[at].perSecond),
    p50: latencies[at].p50,
    p99: latencies[at].p99,
    processorMicroseconds: medianOf((round) => round[at].processorMicroseconds),
  })
  return {
    ours: sideOf(0),
    reference: sideOf(index),
    ratio: medianOf((round) => round[0].perSecond / round[index].perSecond),
    processorRatio: medianOf((round) => round[index].processorMicroseconds / round[0].processorMicroseconds),
    othersShare: Math.max(...rounds.map((round) => Math.max(round[0].othersShare, round[index].othersShare))),
  }
}

function rowText(label, reference, { ours, reference: theirs, ratio, processorRatio }) {
  const side = ({ perSecond, p50, p99 }) =>
    `${Math.round(perSecond)}/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`
  const goal = reference.atLeast ? `, goal ${reference.atLeast}` : ''
  return [
    label,
    `  ours          ${side(ours)}`,
    `  ${reference.kind.padEnd(13)} ${side(theirs)}`,
    `  ratio         ${ratio.toFixed(2)} (by processor time ${processorRatio.toFixed(2)})${goal}`,
  ].join('\n')
}
