import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { readConfig } from '../../config.ts'
import { developmentSettlerKey } from '../../development/base-chain/chain-contents.ts'
import { audit } from '../../operator/audit.ts'
import { diagnose } from '../../operator/doctor/doctor.ts'
import { movableClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/log.ts'
import { borrowTestChain, hasAnvil } from '../../test/base-chain.ts'
import { createBaseWallet, type SmartWallets } from '../../test/base-wallet.ts'
import { freePort } from '../../test/free-port.ts'
import { openNanoNetwork } from '../../test/nano-network.ts'
import { folderFor, type Running, startProcess } from '../../test/service-process.ts'
import { emptyTestDatabase } from '../../test/test-database.ts'
import { until } from '../../test/until.ts'
import { createBuyer, type Kind } from '../chaos/buyer.fixture.ts'
import { type Deployment, opensShop, usdc, usdcPrice } from '../chaos/deployment.fixture.ts'

// The service as an operator splits it: a process for requests and one for jobs, neither of which has a key, and a signer.

const seed = 'a5'.repeat(32)

async function openSplitService(t: TestContext) {
  const database = await emptyTestDatabase()
  const network = await openNanoNetwork(t)
  const chain = await borrowTestChain({ clock: await movableClock(), usdc })
  const [folder, signersFolder] = [await folderFor(t), await folderFor(t)]
  const shared = {
    DATABASE_URL: database.url,
    NANO_NETWORK: 'dev',
    NANO_RPC_URL: network.rpcUrl,
    NANO_WS_URL: network.wsUrl,
    BASE_RPC_URL: chain.rpcUrl,
    RATES_STATIC: 'XNO=1.25,USDC=1',
    SIGNER_SECRET: 'of-the-signer-and-its-processes-1',
  }
  const port = String(await freePort())
  const asking = { ...shared, DATA_DIR: folder, SIGNER_URL: `http://127.0.0.1:${port}` }
  let signer: Running
  const startSigner = async (settings: Record<string, string> = {}) => {
    const keys = { NANO_SEED: seed, BASE_SETTLER_KEY: developmentSettlerKey }
    signer = await startProcess(t, {
      ...shared,
      ...keys,
      ...settings,
      ROLE: 'signer',
      DATA_DIR: signersFolder,
      PORT: port,
    })
    equal(signer.child.exitCode, null, signer.output())
  }
  await startSigner()
  const web = await startProcess(t, { ...asking, ROLE: 'web' })
  const worker = await startProcess(t, { ...asking, ROLE: 'worker' })
  const pool = new pg.Pool({ connectionString: database.url })
  t.after(async () => {
    await pool.end()
    await chain.close()
    await database.drop()
  })
  const payTo = createBaseWallet().address
  const earnings = network.wallet()
  const postIds = await opensShop(web.origin, payTo, earnings.address)
  const deployment = { network, call: chain.call, postIds, origins: [web.origin] } as unknown as Deployment
  let buyers = 0
  return {
    network,
    pool,
    web,
    worker,
    folder,
    asking,
    payTo,
    earnings,
    deployment,
    startSigner,
    signer: () => signer,
    buys: async (kind: Kind) => {
      buyers += 1
      const buyer = await createBuyer(deployment, buyers, kind, false, undefined as unknown as SmartWallets)
      const buying = buyer.buy(AbortSignal.timeout(90_000))
      return { buyer, buying }
    },
  }
}

const hasEnded = ({ child }: Running) => child.exitCode !== null || child.signalCode !== null

test('processes without keys sell in Nano and USDC; a signer that is killed in the middle costs nobody anything', {
  skip: !hasAnvil,
  timeout: 300_000,
}, async (t) => {
  const { pool, buys, signer, startSigner, earnings, payTo, folder, asking, network, deployment } =
    await openSplitService(t)
  const paid = async (count: number) =>
    until(
      `${count} orders are paid`,
      async () => {
        const { rows } = await pool.query(`SELECT count(*)::int AS paid FROM orders WHERE state = 'paid'`)
        return rows[0].paid === count
      },
      { withinMs: 60_000 },
    )
  let sold = 0
  for (const kind of ['Nano', 'key'] as const) {
    const { buyer, buying } = await buys(kind)
    await buying
    equal(buyer.served, 'the-secret-part', JSON.stringify(buyer.refused))
    sold += 1
  }
  await paid(sold)
  // Before it commits, after it has committed and before its caller knows, and simply gone.
  const deaths: [Kind, string][] = [
    ['Nano', 'block-signed'],
    ['Nano', 'signer-replies-blocks'],
    ['key', 'signer-replies-transactions'],
  ]
  for (const [kind, point] of deaths) {
    await signer().end('SIGKILL')
    await startSigner({ FAULT_POINT: point })
    const { buyer, buying } = await buys(kind)
    await until(`the signer dies at ${point}`, () => hasEnded(signer()))
    match(signer().output(), new RegExp(`fault point: ${point}`))
    const signed = (await pool.query('SELECT hash, block FROM nano_blocks ORDER BY hash')).rows
    await startSigner()
    await buying
    equal(buyer.served, 'the-secret-part', `${point}: ${JSON.stringify(buyer.refused)}`)
    sold += 1
    await paid(sold)
    // What was signed before stays as it was.
    for (const { hash, block } of signed)
      deepEqual((await pool.query('SELECT block FROM nano_blocks WHERE hash = $1', [hash])).rows, [{ block }], point)
    if (!buyer.nano) continue
    const { balance } = (await network.client.accountInfo(buyer.address))!
    const { rows } = await pool.query('SELECT amount_raw FROM orders WHERE payer_wallet = $1', [buyer.address])
    deepEqual(
      rows.map(({ amount_raw }) => String(10n ** 30n - BigInt(amount_raw))),
      [String(balance)],
    )
  }
  // Commission is sent after the author's money, with which an order is paid.
  await until('all is paid out', async () => {
    const { rows } = await pool.query(`SELECT FROM payouts WHERE state = 'waiting'`)
    return rows.length === 0
  })
  const { rows } = await pool.query(
    `SELECT count(*)::int AS blocks, count(DISTINCT (address_id, height))::int AS places FROM nano_blocks`,
  )
  deepEqual(rows[0], { blocks: 9, places: 9 })
  ok((await earnings.receives()) > 0n)
  const balanceOf = `0x70a08231${payTo.slice(2).toLowerCase().padStart(64, '0')}`
  equal(BigInt((await deployment.call('eth_call', { to: usdc, data: balanceOf }, 'latest')) as string), 2n * usdcPrice)
  equal(existsSync(join(folder, 'nano-seed')), false)
  const { findings } = await audit(readConfig({ ...asking, ROLE: 'worker' }), createLog('silent'))
  deepEqual(findings, [])
  const found = await diagnose({ ...asking, ROLE: 'web' })
  deepEqual(
    found.findings.filter(({ area, state }) => area === 'signer' && state !== 'ok'),
    [],
  )
})
