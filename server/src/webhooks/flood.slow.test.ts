import { equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createWebhook } from '@pennypost/contract/webhooks'
import { startWorker } from '../platform/jobs/worker.ts'
import { jobs } from '../rooms.ts'
import type { Reader } from '../test/people.ts'
import { until } from '../test/until.ts'
import { createWorld, type World } from '../test/world.ts'
import { announce } from './announce.ts'
import { maxWaiting } from './delivery-store.ts'
import { receiver } from './receiver.fixture.ts'

const events = ['sale.created' as const]
// Just within the five seconds that a server has, so that it is never a failure.
const slowMs = 4_700

/** A server that accepts connections and never replies. */
async function deadServer(t: TestContext) {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { sockets, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

async function ownerOf(world: World, url: string): Promise<Reader> {
  const person = await world.reader()
  equal((await person.owner.calls(createWebhook, { body: { url, events } })).status, 201)
  return person
}

const happen = (world: World, { accountId }: Reader, count: number) =>
  world.services.db.transaction().execute(async (tx) => {
    for (let index = 0; index < count; index += 1)
      await announce(tx, world.services, {
        accountId,
        type: 'sale.created',
        origin: `sale:${randomUUID()}`,
        data: {},
      })
  })

test('six slow servers and a dead one, each with a thousand events, do not keep a healthy one waiting', async (t) => {
  const world = await createWorld(t)
  const { services } = world
  const slow = await Promise.all([1, 2, 3, 4, 5, 6].map(() => receiver(t)))
  for (const { delaysMs } of slow) delaysMs.push(...Array(maxWaiting).fill(slowMs))
  const dead = await deadServer(t)
  for (const { url } of [...slow, dead]) await happen(world, await ownerOf(world, url), maxWaiting)
  const healthy = await receiver(t)
  const ada = await ownerOf(world, healthy.url)

  const worker = await startWorker({ ...services, services, jobs }, world.databaseUrl)
  try {
    // They take every place for requests, once. More of them than places: without their rest, nobody else would get one.
    const isBusy = () => slow.every(({ calls }) => calls.length > 0) && dead.sockets.length > 0
    await until('the others are called', isBusy)
    const tookMs: number[] = []
    for (let index = 1; index <= 40; index += 1) {
      const startedAt = performance.now()
      await happen(world, ada, 1)
      await until('the healthy server is called', () => healthy.calls.length === index)
      tookMs.push(Math.round(performance.now() - startedAt))
    }
    const [first, ...rest] = tookMs
    t.diagnostic(`the first event after ${first} ms, the others after ${Math.max(...rest)} ms at most`)
    // Each had its turn, and rests.
    for (const { calls } of slow) ok(calls.length <= 2, `${calls.length} calls of a slow server`)
    ok(dead.sockets.length <= 2, `${dead.sockets.length} calls of the dead server`)
    const { rows } = await services.pool.query(`SELECT count(*)::int FROM webhook_deliveries WHERE state = 'waiting'`)
    ok(rows[0].count > 7 * maxWaiting - 20, 'nothing is given up')
  } finally {
    await worker.stop(10_000)
    await services.pool.query('TRUNCATE jobs')
  }
})
