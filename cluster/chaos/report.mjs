// What rounds have shown: each is a line of bench/chaos-rounds.jsonl, and their sums are a table of bench/RESULTS.md.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { median } from '../../bench/median.mjs'
import { recordTrials } from '../../bench/results.mjs'

const file = new URL('../../bench/chaos-rounds.jsonl', import.meta.url)

/** What must be true of all rounds together. */
const goals = { payments: 10_000, kills: 500, crashes: 100 }

/** What a round has found, in figures that add up. */
export function toRound(found, { seed, settlesBy }) {
  const seconds = (outages) => outages.map((outage) => Number(outage.seconds.toFixed(1)))
  const sum = (counts) => Object.values(counts).reduce((total, count) => total + count, 0)
  const [reading, buying, writing] = [found.reading, found.buying, found.writing]
  const unexpected = [reading, buying, writing].map((counts) =>
    sum(Object.fromEntries(Object.entries(counts).filter(([status]) => /^5(?!0[234])/.test(status)))),
  )
  return {
    at: new Date().toISOString().slice(0, 16),
    seed,
    settlesBy,
    minutes: Number(found.minutes.toFixed(1)),
    payments: found.payments,
    written: found.written,
    faults: found.faults,
    takeovers: found.takeovers,
    outages: { reads: seconds(found.outages.reads), writes: seconds(found.outages.writes) },
    worst: { reads: worst(found.outages.reads), writes: worst(found.outages.writes) },
    servedAfter: Math.round(found.servedAfter),
    quietAfter: Math.round(found.quietAfter),
    replies: { readers: reading, buyers: buying, writers: writing },
    verdicts: {
      'buyers without access at the end': found.unserved,
      'wallets that lost something else than what they were served': found.overcharged.length,
      'payments still open five minutes later': found.stillOpen,
      'acknowledged and gone: comments': found.lost.comments,
      'acknowledged and gone: posts': found.lost.posts,
      'acknowledged and gone: images': found.lost.images,
      'replies 500': sum(unexpected),
      'dead jobs': found.deadJobs.length,
      'findings of the audit': found.findings.length,
    },
  }
}

/** The verdicts of a round that are not what they must be. */
export const wrongIn = ({ verdicts }) =>
  Object.entries(verdicts).flatMap(([what, count]) => (count === 0 ? [] : [`${count} × ${what}`]))

/** Writes the table of a single round. Returns whether something is wrong. */
export function recordShort(round, alerts) {
  const unexpected = alerts.flatMap((alert) => alert.unexpected)
  recordTrials({ name: 'cluster-chaos', title: 'The cluster while its parts fail' }, [
    ...rowsOf([round]),
    ...alerts.map(({ what, alerts: names, firedAfter, endedAfter }) => ({
      label: `${what}: seconds until ${names.join(' and ')} fired, and until all was quiet again (a minute of the rules is a second)`,
      ours: `${firedAfter.toFixed(0)}, ${endedAfter.toFixed(0)}`,
    })),
    ...(alerts.length > 0 ? [none('alerts that fired without a reason', unexpected.length)] : []),
  ])
  return wrongIn(round).length > 0 || unexpected.length > 0
}

/** Adds a round to those of earlier days, and writes the table of all. */
export function recordRounds(round) {
  appendFileSync(file, `${JSON.stringify(round)}\n`)
  const rounds = readRounds()
  const kills = countFaults(rounds, /^kill -9 of (?!the primary)/)
  const crashes = countFaults(rounds, /^kill -9 of the primary/)
  const reached = (label, count, goal) => ({ label, ours: count, goal: `at least ${goal}`, isMet: count >= goal })
  recordTrials({ name: 'cluster-chaos-rounds', title: 'The cluster while its parts fail, all rounds' }, [
    { label: 'rounds; of which settled by a facilitator', ours: `${rounds.length}; ${byFacilitator(rounds)}` },
    reached(
      'payments that were acknowledged and served',
      total(rounds, ({ payments }) => payments.paid),
      goals.payments,
    ),
    reached('kills', kills, goals.kills),
    reached('crashes of the primary', crashes, goals.crashes),
    ...rowsOf(rounds),
  ])
}

function readRounds() {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(JSON.parse)
}

const byFacilitator = (rounds) => rounds.filter(({ settlesBy }) => settlesBy === 'facilitator').length
const none = (label, count) => ({ label, ours: count, goal: 'none', isMet: count === 0 })
const total = (rounds, of) => rounds.reduce((sum, round) => sum + of(round), 0)
const countFaults = (rounds, pattern) =>
  Object.entries(added(rounds.map(({ faults }) => faults)))
    .filter(([name]) => pattern.test(name))
    .reduce((sum, [, count]) => sum + count, 0)

/** Adds up counts that have the same name. */
function added(all) {
  const sums = {}
  for (const counts of all) for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

function rowsOf(rounds) {
  const list = (all) =>
    Object.entries(added(all))
      .map(([name, count]) => `${count} × ${name}`)
      .join(', ')
  const takeovers = rounds.flatMap((round) => round.takeovers)
  const outages = (label, of) => {
    const all = rounds.flatMap((round) => round.outages[of])
    return {
      label: `${label}: outages, their median and longest in seconds`,
      ours: `${all.length}; ${middle(all)}; ${longest(rounds.map((round) => round.worst[of]))}`,
    }
  }
  return [
    { label: 'minutes', ours: total(rounds, ({ minutes }) => minutes).toFixed(0) },
    {
      label: 'payments, of which acknowledged and served: in Nano, in USDC',
      ours: `${total(rounds, ({ payments }) => payments.started)}; ${total(rounds, ({ payments }) => payments.nano)}, ${total(rounds, ({ payments }) => payments.usdc)}`,
    },
    { label: 'written meanwhile', ours: list(rounds.map(({ written }) => written)) },
    ...Object.entries(added(rounds.map(({ faults }) => faults)))
      .sort()
      .map(([fault, times]) => ({ label: `fault: ${fault}`, ours: times })),
    {
      label: 'the standby took over, seconds until it took writes: median, longest',
      ours: `${takeovers.length} times; ${middle(takeovers)}; ${Math.max(0, ...takeovers).toFixed(1)}`,
    },
    outages('reading a list', 'reads'),
    outages('changing a profile', 'writes'),
    {
      label: 'seconds from the last repair until every buyer was served, and until nothing was under way: longest',
      ours: `${Math.max(...rounds.map((round) => round.servedAfter))}; ${Math.max(...rounds.map((round) => round.quietAfter))}`,
    },
    ...['readers', 'buyers', 'writers'].map((who) => ({
      label: `replies to ${who}`,
      ours: list(rounds.map(({ replies }) => replies[who])),
    })),
    ...Object.entries(added(rounds.map(({ verdicts }) => verdicts))).map(([label, count]) => none(label, count)),
  ]
}

const middle = (all) => (all.length > 0 ? median(all).toFixed(1) : '0')

const worst = (outages) => {
  const [first] = outages.toSorted((one, other) => other.seconds - one.seconds)
  return first ? { seconds: Number(first.seconds.toFixed(1)), after: first.after } : { seconds: 0, after: 'nothing' }
}

const longest = (all) => {
  const [first] = all.toSorted((one, other) => other.seconds - one.seconds)
  return `${first.seconds.toFixed(1)} (after ${first.after})`
}
