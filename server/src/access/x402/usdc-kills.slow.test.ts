import { equal, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { developmentSettlerKey } from '../../development/base-chain/chain-contents.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { payWith } from '../../test/base-wallet.ts'
import { folderFor, startProcess } from '../../test/service-process.ts'
import { until } from '../../test/until.ts'
import { jsonOf, signature } from './buying.fixture.ts'
import { isClean, openUsdcMarket, usdcPrice } from './usdc-market.fixture.ts'

// From the row that is written first to the sale that is booked last.
const deaths = [
  'x402-payment-written',
  'usdc-transaction-signed',
  'usdc-transaction-stored',
  'usdc-transaction-broadcast',
  'usdc-payment-mined',
  'usdc-sale-uncommitted',
  'usdc-sale-committed',
]

test('kill -9 at every step of a USDC payment: nobody pays twice, everyone who paid is served', {
  skip: !hasAnvil,
  timeout: 180_000,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, chain, postId } = market
  const { pool } = world.services
  const settings = {
    DATA_DIR: await folderFor(t),
    DATABASE_URL: world.databaseUrl,
    BASE_RPC_URL: chain.rpcUrl,
    BASE_SETTLER_KEY: developmentSettlerKey,
    NANO_SEED: 'a5'.repeat(32),
  }
  const ask = (service: { origin: string }, headers: Record<string, string> = {}) =>
    fetch(`${service.origin}/api/posts/${postId}/access`, { headers })
  const buyers: { headers: Record<string, string>; address: string; point: string }[] = []
  for (const point of deaths) {
    // It takes requests and runs no jobs: what it leaves behind stays as it is.
    const doomed = await startProcess(t, { ...settings, ROLE: 'web', FAULT_POINT: point })
    const exited = once(doomed.child, 'exit')
    const [accepted] = jsonOf(await ask(doomed), 'payment-required').accepts
    const wallet = await market.fundedWallet()
    const headers = signature(accepted, (await payWith(wallet, accepted)).payload)
    await rejects(ask(doomed, headers))
    equal((await exited)[1], 'SIGKILL', `${point} was reached: ${doomed.output()}`)
    buyers.push({ headers, address: wallet.address, point })
  }
  const survivor = await startProcess(t, settings)
  const open = "SELECT FROM x402_payments WHERE state <> 'settled'"
  await until('all are settled', async () => (await pool.query(open)).rowCount === 0, { withinMs: 240_000 })
  for (const { headers, address, point } of buyers) {
    const reply = await ask(survivor, headers)
    equal(reply.status, 200, point)
    equal(jsonOf(reply, 'payment-response').payer, address)
    equal(await market.balance(address), 10_000_000n - usdcPrice, point)
  }
  equal(await market.balance(market.payTo), BigInt(deaths.length) * usdcPrice)
  equal(await survivor.end('SIGTERM'), 0)
  await pool.query('DELETE FROM jobs')
  await isClean(market)
})
