import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { evenly, summaryOf } from './evenly.mjs'
import { watchHost } from './watch-host.mjs'

// Honest people, each with a separate address: they open posts and lists, search now and then, and buy.

process.on('disconnect', () => process.exit())
process.on('message', async (load) => process.send(await readAndBuy(load)))
process.send({})

const agents = Array.from({ length: 20 }, (_, at) => {
  return new Agent({ keepAlive: true, localAddress: `127.1.0.${at + 1}` })
})
const pick = (list) => list[Math.floor(Math.random() * list.length)]
let nextBuy = 0

async function readAndBuy({ origin, seconds, perSecond, buyEvery, paths, searches, buyers, paidIds }) {
  const times = { read: [], buy: [] }
  const host = watchHost()
  const failures = {}
  const send = async (dueAt, n) => {
    const isBuy = n % buyEvery === 1
    const options = isBuy ? purchase(buyers, paidIds) : { path: n % 10 === 0 ? pick(searches) : pick(paths) }
    const status = await call(origin, options, agents[n % agents.length])
    if (status < 400) times[isBuy ? 'buy' : 'read'].push({ from: dueAt, to: performance.now() })
    else failures[`${isBuy ? 'buy' : 'read'} ${status}`] = (failures[`${isBuy ? 'buy' : 'read'} ${status}`] ?? 0) + 1
  }
  await evenly(perSecond, seconds, send)
  host.stop()
  // Time that a request waited while the host ran another machine does not count.
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
