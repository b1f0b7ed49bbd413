import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { watchHost } from './watch-host.mjs'

// Honest people, each with an address of their own: they open posts and lists, search now and then, and buy.

process.on('disconnect', () => process.exit())
process.on('message', async (load) => process.send(await readAndBuy(load)))
process.send({})

const agents = Array.from({ length: 20 }, (_, at) => {
  return new Agent({ keepAlive: true, localAddress: `127.1.0.${at + 1}` })
})
const pick = (list) => list[Math.floor(Math.random() * list.length)]
let nextBuy = 0

/** Sends requests evenly spaced. Each is timed from when it was due, so that the wait behind a slow reply counts too. */
async function readAndBuy({ origin, seconds, perSecond, buyEvery, paths, searches, buyers, paidIds }) {
  const times = { read: [], buy: [] }
  const host = watchHost()
  const failures = {}
  const send = async (n, dueAt) => {
    const isBuy = n % buyEvery === 1
    const options = isBuy ? purchase(buyers, paidIds) : { path: n % 10 === 0 ? pick(searches) : pick(paths) }
    const status = await call(origin, options, agents[n % agents.length])
    if (status < 400) times[isBuy ? 'buy' : 'read'].push({ from: dueAt, to: performance.now() })
    else failures[`${isBuy ? 'buy' : 'read'} ${status}`] = (failures[`${isBuy ? 'buy' : 'read'} ${status}`] ?? 0) + 1
  }
  const startedAt = performance.now()
  const pending = []
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const dueAt = startedAt + (n * 1000) / perSecond
    const earlyMs = dueAt - performance.now()
    if (earlyMs > 0) await wait(earlyMs)
    pending.push(send(n, Math.max(dueAt, performance.now() - 2))) // the timer's own delay is not the server's
  }
  await Promise.all(pending)
  host.stop()
  // What a request waited while the host ran another machine says nothing about this service.
  const undisturbed = (list) => list.filter(({ from, to }) => !host.wasAway(from, to)).map(({ from, to }) => to - from)
  const [read, buy] = [undisturbed(times.read), undisturbed(times.buy)]
  return { read: summaryOf(read), buy: summaryOf(buy), leftOut: 1 - read.length / times.read.length, failures }
}

function purchase(buyers, paidIds) {
  const n = nextBuy++
  const { token } = buyers[n % buyers.length]
  const postId = paidIds[Math.floor(n / buyers.length) % paidIds.length]
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
    'idempotency-key': randomUUID(),
  }
  return { method: 'POST', path: '/api/v1/purchases/create', headers, body: JSON.stringify({ postId }) }
}

const call = (origin, { method = 'GET', path, headers, body }, agent) =>
  new Promise((resolve) => {
    const sent = request(new URL(path, origin), { method, headers, agent }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode))
    })
    sent.on('error', () => resolve(599))
    sent.end(body)
  })

function summaryOf(times) {
  const sorted = times.toSorted((a, b) => a - b)
  const percentile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { count: sorted.length, p50: percentile(0.5), p99: percentile(0.99) }
}
