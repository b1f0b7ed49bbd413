import { deepEqual, equal } from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openNanoNetwork } from '../test/nano-network.ts'
import { until } from '../test/until.ts'
import { isClean, type Market, openMarket, price, quotes, reads, sells, xno } from './market.fixture.ts'

const worker = fileURLToPath(new URL('./money-worker.fixture.js', import.meta.url))

function startWorker(t: TestContext, market: Market, folder: string, point = '', times = 1): ChildProcess {
  const { rpcUrl, wsUrl } = market.network
  const { config } = market.world.services
  const node = { NANO_RPC_URL: rpcUrl, NANO_WS_URL: wsUrl, NANO_NETWORK: 'dev' }
  const settings = JSON.stringify({ DATA_DIR: folder, NANO_SEED: config.nano.seed, ...node })
  const child = fork(worker, [settings, market.world.databaseUrl, point, String(times)], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return child
}

async function untilPaid({ world }: Market): Promise<void> {
  const open = `SELECT FROM payouts WHERE state <> 'confirmed' UNION ALL SELECT FROM orders WHERE state <> 'paid'`
  const isDone = async () => (await world.services.pool.query(open)).rowCount === 0
  await until('all are paid', isDone, { withinMs: 240_000 })
}

// Each of them is met by the first payment, or by the send to creator, payer or house that comes so late.
const deaths = [
  ...(['arrival-seen', 'arrival-noted', 'arrival-committed'] as const).map((point) => [point, 1] as const),
  ...(['block-signed', 'block-stored', 'block-published', 'publication-noted'] as const).flatMap((point) => [
    [point, 1] as const,
    [point, 2] as const,
  ]),
  ...(['block-confirmed', 'confirmation-noted', 'confirmation-committed'] as const).map((point) => [point, 2] as const),
] as const

test('kill -9 at every fault point: everything is paid once, and the auditor finds nothing', {
  timeout: 240_000,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-crash-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  // A separate network: on the one that test files share, the house has received before.
  const market = await openMarket(t, { isBlind: true, network: await openNanoNetwork(t) })
  const { buyer, creator, network, earnings, wallet } = market
  const ids: string[] = []
  for (const [point, times] of deaths) {
    // With too much, so that creator, payer and house are all sent something.
    const { id, address } = await quotes(buyer, await sells(creator))
    ids.push(id)
    await market.pays(address, price + xno)
    const doomed = startWorker(t, market, folder, point, times)
    const [, signal] = await once(doomed, 'exit')
    equal(signal, 'SIGKILL', `${point} was reached`)
    await isClean(market)
  }
  // Two at once, which share what the dead left behind.
  const survivors = [startWorker(t, market, folder), startWorker(t, market, folder)]
  await untilPaid(market)
  for (const survivor of survivors) {
    survivor.kill('SIGKILL')
    await once(survivor, 'exit')
  }
  // Those they had taken wait for another worker.
  await market.world.services.pool.query('DELETE FROM jobs')
  for (const id of ids) equal((await reads(buyer, id)).status, 'paid')
  const count = BigInt(deaths.length)
  equal(await earnings.receives(), count * ((price * 95n) / 100n))
  equal(await wallet.receives(), count * xno)
  const house = await network.client.receivable(await market.world.services.addresses.house(), 1n)
  deepEqual(
    house.map(({ amount }) => amount),
    deaths.map(() => price / 20n),
  )
  await isClean(market)
})
