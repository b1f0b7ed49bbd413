import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { listAuditEntries } from '@pennypost/contract/audit-log'
import { amountOf } from '@pennypost/contract/money'
import { listObligations, retryObligation, settleObligation } from '@pennypost/contract/obligations'
import { administrator } from '../../discussion/discussion.fixture.ts'
import { allocateAddress } from '../../rails/nano/custody/addresses.ts'
import { addressOf } from '../../rails/nano/custody/keyring.ts'
import { isClean, type Market, openMarket, price, quotes, reads, savesAddress } from '../market.fixture.ts'

const net = (price * 95n) / 100n

async function sold(market: Market): Promise<string> {
  const { id, address } = await quotes(market.buyer, market.postId)
  await market.pays(address, price)
  await market.checkAddresses()
  equal((await reads(market.buyer, id)).status, 'paid')
  return address
}

/** What an administrator sees and does. */
async function adminOf({ world }: Market) {
  const admin = await administrator(world)
  const blocked = async () => (await admin.owner.calls(listObligations, {})).body.obligations
  const retries = (obligationId: string) => admin.owner.calls(retryObligation, { params: { obligationId } })
  const settles = (obligationId: string, destination: string) =>
    admin.owner.calls(settleObligation, { params: { obligationId }, body: { destination } })
  return { admin, blocked, retries, settles }
}

test('two services that send back what they are sent stop after three times, and a person says where it goes', async (t) => {
  const here = await openMarket(t)
  const there = await openMarket(t, { network: here.network })
  const { blocked, settles } = await adminOf(here)
  // Everything that arrives at an address whose quote is paid goes back. Here a creator's payout goes to one.
  await savesAddress(here.creator, await sold(there))
  await there.earnings.receives()
  const { address } = await quotes(here.buyer, here.postId)
  await here.pays(address, price)
  for (let turn = 0; turn < 6; turn += 1) {
    await here.checkAddresses()
    await there.checkAddresses()
  }
  const sentFrom = async ({ world }: Market) =>
    (await world.services.pool.query('SELECT FROM nano_sends WHERE amount = $1', [String(net)])).rowCount
  deepEqual([await sentFrom(here), await sentFrom(there)], [3, 4])
  const [owed, ...others] = await blocked()
  deepEqual([others.length, owed.role, owed.reason], [0, 'refund', 'it was sent back, and came again'])
  deepEqual([owed.amountRaw, owed.status], [String(net), 'blocked'])
  await isClean(here)
  await isClean(there)
  const wallet = here.network.wallet()
  const settled = await settles(owed.id, wallet.address)
  deepEqual([settled.status, settled.body.status, settled.body.destination], [200, 'waiting', wallet.address])
  await here.checkAddresses()
  equal(await wallet.receives(), net)
  deepEqual(await blocked(), [])
  await isClean(here)
})

test('money that came from ourselves is settled by a person, once, and the act is in the audit log', async (t) => {
  const market = await openMarket(t)
  const { world, buyer, creator, postId, network } = market
  const { services } = world
  const { admin, blocked, retries, settles } = await adminOf(market)
  // An address of ours that nobody knew of yet when a creator saved it.
  const derivation = 'x402:unknown yet'
  await savesAddress(creator, await addressOf(services.addresses, { id: '0', derivation }))
  const { address: ours } = await quotes(buyer, postId)
  await market.pays(ours, price)
  await market.checkAddresses()
  const leastRaw = amountOf('XNO', 1n)
  const wish = { purpose: 'transfer', leastRaw, expiresAt: services.clock.now(), derivation } as const
  await services.db.transaction().execute((tx) => allocateAddress(services, tx, wish))
  await market.checkAddresses()
  const [owed] = await blocked()
  deepEqual([owed.role, owed.reason, owed.destination], ['refund', 'the address is one of this service', ours])
  await isClean(market)
  const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
  deepEqual(outcome(await retries(owed.id)), [409, 'destination-refused'])
  deepEqual(outcome(await settles(owed.id, ours)), [409, 'destination-refused'])
  deepEqual(outcome(await settles(owed.id, 'nano_1')), [422, 'validation'])
  deepEqual(outcome(await settles(creator.accountId, ours)), [404, 'obligation-not-found'])
  const wallet = network.wallet()
  const both = await Promise.all([settles(owed.id, wallet.address), settles(owed.id, wallet.address)])
  deepEqual(both.map(({ status }) => status).sort(), [200, 409])
  await market.checkAddresses()
  equal(await wallet.receives(), net)
  const { entries } = (await admin.owner.calls(listAuditEntries, {})).body
  deepEqual(
    [entries[0].act, entries[0].targetId, entries[0].details.destination],
    ['payout.settle', owed.id, wallet.address],
  )
  await isClean(market)
})
