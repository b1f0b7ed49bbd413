import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

// A crowd of first readers: each request opens another post, and after all posts from another address.

process.on('disconnect', () => process.exit())
process.on('message', async (load) => process.send(await openPosts(load)))
process.send({})

const agents = Array.from({ length: 60 }, (_, at) => {
  return new Agent({ keepAlive: true, maxSockets: 20, localAddress: `127.2.0.${at + 1}` })
})
const tickMs = 10
let opened = 0

async function openPosts({ origin, ids, perSecond, seconds }) {
  const statuses = {}
  const pending = new Set()
  const startedAt = performance.now()
  const firstOpened = opened
  for (;;) {
    const elapsed = (performance.now() - startedAt) / 1000
    if (elapsed >= seconds) break
    // Readers who do not get through are not replaced: there are never more than this waiting.
    while (opened - firstOpened < elapsed * perSecond && pending.size < 500) {
      const reading = open(origin, ids[opened % ids.length], agents[Math.floor(opened / ids.length) % agents.length])
      pending.add(reading)
      reading.then((status) => {
        statuses[status] = (statuses[status] ?? 0) + 1
        pending.delete(reading)
      })
      opened += 1
    }
    await wait(tickMs)
  }
  await Promise.all(pending)
  return { statuses, perSecond: (statuses[200] ?? 0) / seconds }
}

const open = (origin, id, agent) =>
  new Promise((resolve) => {
    const sent = request(new URL(`/api/posts/${id}`, origin), { agent }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode))
    })
    sent.on('error', () => resolve(599))
    sent.end()
  })
