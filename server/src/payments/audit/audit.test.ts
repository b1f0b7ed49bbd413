import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { amountOf } from '@pennypost/contract/money'
import { findAddressByText } from '../../rails/nano/custody/addresses.ts'
import { keyringFrom } from '../../rails/nano/custody/keyring.ts'
import { createFaultyNode, type FaultyNode } from '../../test/faulty-node.ts'
import { createNanoWallet } from '../../test/nano-wallet.ts'
import { isClean, type Market, openMarket, price, quotes, xno } from '../market.fixture.ts'
import { receiveArrivals } from '../receive-arrivals.ts'
import { recordDirectSale } from '../x402/settle-payment.job.ts'
import { auditBooks } from './audit-books.ts'
import { auditChain } from './audit-chain.ts'
import { auditNamesDamage } from './damage.fixture.ts'

const findings = async ({ world, network }: Market) => {
  const { db, clock } = world.services
  return [...(await auditBooks(db, clock.now())), ...(await auditChain(db, network.client)).findings]
}

test('the auditor names every single thing that is wrong', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, pays, checkAddresses, world } = market
  const { address } = await quotes(buyer, postId)
  await pays(address, price + xno)
  await checkAddresses()
  deepEqual(await findings(market), [])
  const wrongs: [change: string, says: RegExp][] = [
    ['UPDATE nano_arrivals SET amount = amount + 1', /is not booked with its amount/],
    ['UPDATE orders SET received_raw = received_raw - 1', /is not what arrived/],
    ['UPDATE order_arrivals SET spent_at = NULL', /unspent money is not what the books hold/],
    [`UPDATE orders SET state = 'expired', received_at = NULL, paid_at = NULL`, /state and its sale disagree/],
    ['UPDATE orders SET commission_raw = commission_raw + 1', /what is owed for it disagree/],
    [`UPDATE orders SET state = 'received', paid_at = NULL`, /paid, and its creator is not/],
    ['DELETE FROM entitlements', /bought without a right to read/],
    [`UPDATE payouts SET amount = amount + 1 WHERE role = 'refund'`, /payout .* and the books disagree/],
    [
      `UPDATE payouts SET state = 'waiting', confirmed_at = NULL, block_hash = NULL WHERE role = 'house'`,
      /what is owed to house house/,
    ],
    ['UPDATE nano_blocks SET balance = balance + 1 WHERE height = 2', /do not follow each other/],
    ['UPDATE nano_sends SET confirmed_at = NULL', /send .* and its block disagree/],
    ['DELETE FROM nano_blocks WHERE send_id IS NULL', /do not follow each other/],
    ['UPDATE nano_sends SET amount = amount + 1 WHERE confirmed_at IS NOT NULL', /is not what came and went/],
  ]
  const tables = ['nano_arrivals', 'orders', 'order_arrivals', 'entitlements', 'payouts', 'nano_blocks', 'nano_sends']
  await auditNamesDamage(world, tables, wrongs, () => findings(market))
})

test('money that left an address without us is seen', async (t) => {
  const market = await openMarket(t, { isolation: 'own' })
  const { buyer, postId, pays, checkAddresses, world, network } = market
  const { address } = await quotes(buyer, postId)
  await pays(address, price / 2n)
  await checkAddresses()
  await isClean(market)
  const { db, config } = world.services
  const keyring = keyringFrom(config.nano.seed!)
  const thief = createNanoWallet(network, keyring.secretKeyOf((await findAddressByText(db, address))!))
  equal(thief.address, address)
  await thief.receives()
  await network.untilConfirmed(await thief.sends(network.faucet.address, 5n))
  const found = await findings(market)
  match(found.join('\n'), /was not signed by us/)
  match(found.join('\n'), /the chain has .* raw, the books say/)
})

test('what is under way is explained, and is nothing wrong', async (t) => {
  const market = await openMarket(t, { isBlind: true })
  const { buyer, postId, pays, world, network } = market
  const { address } = await quotes(buyer, postId)
  const { address: other } = await quotes(buyer, postId)
  await pays(address, price / 2n)
  await receiveArrivals(world.services, address, undefined)
  await pays(address, price)
  await pays(other, price)
  const { findings: wrong, underWay } = await auditChain(world.services.db, network.client)
  deepEqual(wrong, [])
  equal(underWay.length, 2)
  for (const line of underWay) match(line, /came to .* not booked yet/)
  match(underWay.join(), new RegExp(`came to ${other}`), 'also at an address where nothing came before')
})

test('what a node says once and takes back is not believed; what it says again is', async (t) => {
  let faultyNode: FaultyNode | undefined
  const node = async (network: { rpcUrl: string; wsUrl: string }) => {
    faultyNode = await createFaultyNode(t, network)
    return faultyNode
  }
  const market = await openMarket(t, { node })
  const { buyer, postId, pays, checkAddresses, world } = market
  const { address } = await quotes(buyer, postId)
  await pays(address, price)
  await checkAddresses()
  const { db, nano } = world.services
  const lie = (answer: object) => ({ ...answer, frontier: 'AB'.repeat(32) })
  const lieOfMany = ({ frontiers }: { frontiers?: object }) => ({
    frontiers: Object.fromEntries(Object.keys(frontiers ?? {}).map((account) => [account, 'AB'.repeat(32)])),
  })
  faultyNode!.always('accounts_frontiers', lieOfMany)
  deepEqual((await auditChain(db, nano.client)).findings, [], 'the address itself is asked again')
  faultyNode!.next('account_info', lie)
  deepEqual((await auditChain(db, nano.client)).findings, [])
  faultyNode!.always('account_info', lie)
  match((await auditChain(db, nano.client)).findings.join(), /was not signed by us/)
})

test('USDC that was paid twice for one Post is nothing wrong', async (t) => {
  const market = await openMarket(t)
  const { buyer, creator, postId, world } = market
  const { services } = world
  for (const digit of ['1', '2']) {
    const sale = {
      asset: 'USDC',
      kind: 'purchase',
      commentId: null,
      postId,
      payeeId: creator.accountId,
      payerId: buyer.accountId,
      payerWallet: `0x${digit.repeat(40)}`,
      amount: amountOf('USDC', 250_000n),
      recipient: `0x${'a'.repeat(40)}`,
      transaction: `0x${digit.repeat(64)}`,
      source: 'checkout',
    } as const
    await services.db.transaction().execute((tx) => recordDirectSale(services, tx, sale))
  }
  await isClean(market)
  await services.pool.query('DELETE FROM entitlements')
  equal((await findings(market)).filter((line) => /without a right to read/.test(line)).length, 2)
})
