import { Agent, request } from 'node:http'
import autocannon from 'autocannon'
import { evenly, summaryOf } from './evenly.mjs'

// Sends the load from its own process, so that its work does not disturb the process that measures.

process.on('disconnect', () => process.exit())
process.on('message', async (load) => process.send(await (load.perSecond ? loadEvenly(load) : loadOnce(load))))
process.send({})

// Each connection is a different reader, because the service works on only a few requests of one reader at a time. It
// believes this header, because it takes us for a proxy on the same machine.
const readers = 1_000
const asReader = (headers, number) => ({ ...headers, 'x-forwarded-for': `10.0.${number >> 8}.${number & 255}` })

async function loadOnce({ url, method, headers, body, paths, connections, seconds }) {
  let connected = 0
  // A random path for each request, so that most are not cached.
  const setupRequest = (request) => ({ ...request, path: anyOf(paths), headers: asReader(headers, anyBelow(readers)) })
  const run = autocannon({
    url,
    method,
    headers,
    body,
    connections,
    duration: seconds,
    ...(paths
      ? { requests: [{ method, headers, setupRequest }] }
      : { setupClient: (client) => client.setHeaders(asReader(headers, connected++)) }),
    sampleInt: 50, // how late the end may be, in ms
    timeout: 10,
  })
  // autocannon's histogram has a resolution of one millisecond, and most replies take less.
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

/** Sends a fixed number of requests per second, evenly spaced. */
async function loadEvenly({ url, method, headers, paths, connections, seconds, perSecond }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const statuses = {}
  const latencies = []
  let errors = 0
  const send = (dueAt) =>
    new Promise((resolve) => {
      const target = paths ? new URL(anyOf(paths), url) : url
      const outgoing = request(target, { method, headers: asReader(headers, anyBelow(readers)), agent }, (reply) => {
        statuses[reply.statusCode] = (statuses[reply.statusCode] ?? 0) + 1
        reply.resume().on('end', () => resolve(latencies.push(performance.now() - dueAt)))
      })
      outgoing.on('error', () => {
        errors += 1
        resolve()
      })
      outgoing.end()
    })
  const startedAt = performance.now()
  await evenly(perSecond, seconds, send)
  agent.destroy()
  const elapsedSeconds = (performance.now() - startedAt) / 1000
  return { errors, statuses, perSecond: latencies.length / elapsedSeconds, ...summaryOf(latencies) }
}

const anyBelow = (number) => Math.floor(Math.random() * number)
const anyOf = (list) => list[anyBelow(list.length)]
