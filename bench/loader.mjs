import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import autocannon from 'autocannon'

// The load comes from a process of its own: what it spends is not spent by the one that keeps the books.

process.on('disconnect', () => process.exit())
process.on('message', async (load) => process.send(await (load.perSecond ? loadEvenly(load) : loadOnce(load))))
process.send({})

async function loadOnce({ url, method, headers, body, paths, connections, seconds }) {
  const run = autocannon({
    url,
    method,
    headers,
    body,
    connections,
    duration: seconds,
    // Any of the paths, each time: what was just asked should not be asked again.
    ...(paths && { requests: [{ method, headers, setupRequest: (request) => ({ ...request, path: anyOf(paths) }) }] }),
    sampleInt: 50, // how far the end may overshoot
    timeout: 10,
  })
  // The histogram of autocannon counts whole milliseconds, and most replies take less than one.
  const latencies = []
  run.on('response', (_client, _status, _bytes, milliseconds) => latencies.push(milliseconds))
  const { errors, start, finish, statusCodeStats } = await run
  return {
    errors,
    statuses: Object.fromEntries(Object.entries(statusCodeStats).map(([status, { count }]) => [status, count])),
    perSecond: latencies.length / ((finish - start) / 1000),
    ...summaryOf(latencies),
  }
}

/**
 * So many a second, one after the other at even distances, as strangers come. Each is timed from when it was due: what a
 * slow answer holds up counts too.
 */
async function loadEvenly({ url, method, headers, paths, connections, seconds, perSecond }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const statuses = {}
  const latencies = []
  let errors = 0
  const ask = (dueAt) =>
    new Promise((resolve) => {
      const target = paths ? new URL(anyOf(paths), url) : url
      const asked = request(target, { method, headers, agent }, (reply) => {
        statuses[reply.statusCode] = (statuses[reply.statusCode] ?? 0) + 1
        reply.resume().on('end', () => resolve(latencies.push(performance.now() - dueAt)))
      })
      asked.on('error', () => {
        errors += 1
        resolve()
      })
      asked.end()
    })
  const begunAt = performance.now()
  const asking = []
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const dueAt = begunAt + (index * 1000) / perSecond
    const early = dueAt - performance.now()
    if (early > 0) await wait(early)
    asking.push(ask(Math.max(dueAt, performance.now() - 2))) // a timer's own lateness is not the server's
  }
  await Promise.all(asking)
  agent.destroy()
  const elapsedSeconds = (performance.now() - begunAt) / 1000
  return { errors, statuses, perSecond: latencies.length / elapsedSeconds, ...summaryOf(latencies) }
}

function summaryOf(latencies) {
  const sorted = Float64Array.from(latencies).sort()
  const percentile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { requests: sorted.length, p50: percentile(0.5), p99: percentile(0.99) }
}

const anyOf = (list) => list[Math.floor(Math.random() * list.length)]
