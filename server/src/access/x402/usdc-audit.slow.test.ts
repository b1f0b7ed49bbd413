import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../config.ts'
import { developmentSettlerKey } from '../../development/base-chain/chain-contents.ts'
import { audit } from '../../operator/audit.ts'
import { auditUsdc } from '../../payments/audit/audit-usdc.ts'
import { auditNamesDamage } from '../../payments/audit/damage.fixture.ts'
import { createLog } from '../../platform/log.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { createBaseWallet } from '../../test/base-wallet.ts'
import { folderFor } from '../../test/service-process.ts'
import { presents } from './buying.fixture.ts'
import { buys, isClean, openUsdcMarket, stranger, submits, type UsdcMarket } from './usdc-market.fixture.ts'

const skip = !hasAnvil

const audited = ({ world: { services } }: UsdcMarket) => auditUsdc(services.db, services.base, services.clock.now())

test('the auditor names everything that is wrong with USDC', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world } = market
  await buys(market, world.stranger(), await market.fundedWallet())
  await buys(market, world.stranger(), await market.fundedWallet())
  await isClean(market)
  equal((await audited(market)).payments, 2)
  const first = '(SELECT id FROM x402_payments ORDER BY created_at LIMIT 1)'
  const other = '(SELECT transaction FROM x402_payments ORDER BY created_at DESC LIMIT 1)'
  const wrongs: [change: string, says: RegExp][] = [
    [`UPDATE x402_payments SET amount = amount + 1 WHERE id = ${first}`, /its sale or tip is not what was paid/],
    [`UPDATE x402_payments SET amount = amount + 1 WHERE id = ${first}`, /does not show it on the chain/],
    [`UPDATE x402_payments SET pay_to = payer WHERE id = ${first}`, /does not show it on the chain/],
    [`UPDATE x402_payments SET transaction = ${other} WHERE id = ${first}`, /does not show it on the chain/],
    [`UPDATE x402_payments SET transaction = '0x${'ab'.repeat(32)}' WHERE id = ${first}`, /does not show it/],
    [
      `UPDATE x402_payments SET state = 'settling', settled_at = NULL WHERE id = ${first}`,
      /not settled, and has a sale/,
    ],
    [`DELETE FROM x402_payments WHERE id = ${first}`, /was not paid by exactly one payment/],
    ["DELETE FROM ledger_movements WHERE kind = 'payout'", /is not booked once as it came/],
    ['UPDATE ledger_entries SET amount = amount * 2', /is not booked once as it came/],
    ['DELETE FROM orders', /nothing was sold for it/],
    [
      `UPDATE x402_payments SET state = 'failed', failure = 'x', is_final = true, settled_at = NULL, order_id = NULL
       WHERE id = ${first}`,
      /has paid it, and it is not booked/,
    ],
    [
      'UPDATE usdc_transactions SET nonce = nonce + 100 WHERE nonce = (SELECT max(nonce) FROM usdc_transactions)',
      /was not written down by us/,
    ],
  ]
  const tables = ['x402_payments', 'usdc_transactions', 'orders', 'ledger_movements', 'ledger_entries']
  await auditNamesDamage(market.world, tables, wrongs, async () => (await audited(market)).findings)
  await market.later(10)
})

test('money that came and is not booked yet is under way; long afterwards it is wrong', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const faultyNode = await stranger(t, market)
  const person = world.stranger()
  const { accepted, payload } = await market.order(person, await market.fundedWallet())
  faultyNode.always('eth_sendRawTransaction', 'drop')
  equal((await presents(person, postId, accepted, payload)).status, 402)
  faultyNode.heal()
  await world.advance(70)
  deepEqual([(await audited(market)).findings, (await audited(market)).underWay], [[], []], 'nothing came')
  await submits(market, payload)
  const { findings, underWay } = await audited(market)
  deepEqual([findings, underWay.length], [[], 1])
  match(underWay[0]!, /has paid it, and it is not booked yet/)
  await world.advance(4_000)
  match((await audited(market)).findings.join(), /has paid it, and it is not booked/)
  await world.runJobs()
  await market.later(10)
  await isClean(market)
})

test('providers that show few blocks at a time, and nodes that lag, make nothing wrong', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, chain } = market
  await buys(market, world.stranger(), await market.fundedWallet())
  const person = world.stranger()
  const { accepted, payload } = await market.order(person, await market.fundedWallet())
  const faultyNode = await stranger(t, market)
  faultyNode.always('eth_sendRawTransaction', 'drop')
  equal((await presents(person, postId, accepted, payload)).status, 402)
  faultyNode.heal()
  await world.advance(70)
  await chain.call('anvil_mine', '0x14')
  await submits(market, payload)
  const tooMany = () => ({ jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'up to a 10 block range' } })
  faultyNode.next('eth_getLogs', tooMany, tooMany)
  faultyNode.next('eth_getTransactionReceipt', (answer: object) => ({ ...answer, result: null }))
  const { findings, underWay } = await audited(market)
  deepEqual([findings, underWay.length], [[], 1])
  await world.runJobs()
  await market.later(10)
  await isClean(market)
})

test('what the key of the settling account did elsewhere is seen; without a node only the books are read', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, chain } = market
  await buys(market, world.stranger(), await market.fundedWallet())
  const { address } = createBaseWallet(developmentSettlerKey)
  await chain.call('anvil_impersonateAccount', address)
  await chain.call('eth_sendTransaction', { from: address, to: address, value: '0x1' })
  match((await audited(market)).findings.join(), /its transaction \d+ is on the chain, and was not written down/)
  const { db, clock } = world.services
  const unseen = await auditUsdc(db, undefined, clock.now())
  deepEqual([unseen.findings, unseen.payments, unseen.isSeen], [[], 1, false])
  await market.later(10)
})

test('the whole audit asks the node of the settings, and says so when it does not answer', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, chain } = market
  await buys(market, world.stranger(), await market.fundedWallet())
  await market.later(10)
  const settings = {
    DATA_DIR: await folderFor(t),
    DATABASE_URL: world.databaseUrl,
    BASE_SETTLER_KEY: developmentSettlerKey,
  }
  const auditWith = (rpcUrl: string) => audit(readConfig({ ...settings, BASE_RPC_URL: rpcUrl }), createLog('silent'))
  const { findings, payments, isUsdcSeen } = await auditWith(chain.rpcUrl)
  deepEqual([findings, payments, isUsdcSeen], [[], 1, true])
  const blind = await auditWith('http://127.0.0.1:9')
  equal(blind.isUsdcSeen, false)
  match(blind.findings.join(), /the chain of Base could not be asked/)
})
