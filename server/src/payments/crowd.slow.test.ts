import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startWorker } from '../platform/jobs/worker.ts'
import { jobs } from '../rooms.ts'
import type { Reader } from '../test/people.ts'
import { until } from '../test/until.ts'
import { asksToBuy, isClean, openMarket, price, sells, xno } from './market.fixture.ts'
import { watchAddresses } from './receive-arrivals.ts'

const crowd = 200

/** As the interface asks for: after a 503 the same request again, with the same key. */
async function quotesPatiently(buyer: Reader, postId: string): Promise<string> {
  const key = randomUUID()
  for (;;) {
    const { status, body } = await asksToBuy(buyer, postId, key)
    if (status !== 503) return body.ephemeral_address.ephemeral_address
  }
}

test(`${crowd} purchases at once: every one is paid, nothing is stuck, and nothing is paid twice`, {
  timeout: 240_000,
}, async (t) => {
  const market = await openMarket(t)
  const { world, network, creator, earnings } = market
  const { pool, clock, log, metrics, services } = { ...world.services, services: world.services }
  const posts = await Promise.all(Array.from({ length: 10 }, () => sells(creator)))
  const buyers: Reader[] = []
  while (buyers.length < crowd / 10) buyers.push(await world.reader())
  const wallets = await Promise.all(Array.from({ length: 8 }, () => network.fundedWallet(100n * xno)))
  // Two workers and two watchers, as in two processes.
  const url = world.databaseUrl
  const workers = await Promise.all([1, 2].map(() => startWorker({ jobs, services, pool, clock, log, metrics }, url)))
  const watchers = [1, 2].map(() => watchAddresses(services))
  for (const watcher of watchers) watcher.start()
  t.after(async () => {
    await Promise.all([...watchers.map((watcher) => watcher.stop()), ...workers.map((worker) => worker.stop(5_000))])
  })
  const pairs = buyers.flatMap((buyer) => posts.map((postId) => ({ buyer, postId })))
  equal(pairs.length, crowd)
  const quoted = await Promise.all(pairs.map(({ buyer, postId }) => quotesPatiently(buyer, postId)))
  const shares = wallets.map((wallet, index) => ({ wallet, quoted: quoted.filter((_, each) => each % 8 === index) }))
  await Promise.all(
    shares.map(async ({ wallet, quoted: mine }) => {
      for (const address of mine) await wallet.sends(address, price)
    }),
  )
  const open = `SELECT FROM payouts WHERE state <> 'confirmed' UNION ALL SELECT FROM orders WHERE state <> 'paid'`
  await until('all are paid', async () => (await pool.query(open)).rowCount === 0, { withinMs: 270_000 })
  equal(await earnings.receives(), BigInt(crowd) * ((price * 95n) / 100n))
  const { rows } = await pool.query(`SELECT count(*)::int AS granted FROM entitlements`)
  deepEqual(rows, [{ granted: crowd }])
  // Emails have low priority and come last.
  const due = 'SELECT FROM jobs WHERE run_at <= $1 AND dead_at IS NULL'
  await until('everyone is notified', async () => (await pool.query(due, [clock.now()])).rowCount === 0)
  await isClean(market)
})
