import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { listAuditEntries } from '@pennypost/contract/audit-log'
import { amountOf } from '@pennypost/contract/money'
import { listNotifications } from '@pennypost/contract/notifications'
import { listObligations, type Obligation, retryObligation, settleObligation } from '@pennypost/contract/obligations'
import { clearPayoutAddress } from '@pennypost/contract/profiles'
import { withdrawPost } from '@pennypost/contract/publishing'
import { administrator } from '../../discussion/discussion.fixture.ts'
import type { World } from '../../test/world.ts'
import { arrives, creatorsIn } from '../finance/finance.fixture.ts'
import { price, quotes, xno } from '../market.fixture.ts'
import { blockPayout } from '../payouts/payouts.job.ts'

/** A node says that it will never take what is to be sent for this role. */
async function refuses(world: World, role: string): Promise<string> {
  const { services } = world
  const { db, pool } = services
  const { rows } = await pool.query(
    `UPDATE nano_sends send SET refused_at = now() FROM payouts payout JOIN nano_addresses address ON address.id = payout.address_id
     WHERE payout.id = send.id AND payout.role = $1 RETURNING send.id, send.address_id, send.amount, address.address`,
    [role],
  )
  const [{ id, address, amount }] = rows
  const send = { id, address, amount: amountOf('XNO', amount), blockHash: 'F'.repeat(64) }
  await db.transaction().execute((tx) => blockPayout(services, tx, send, 'Balance mismatch'))
  return id
}

const forget = (world: World) => world.services.pool.query(`DELETE FROM jobs WHERE name = 'move-nano-address'`)

test('administrators see what could not be sent, the oldest first; what is owed to creators waits for them', async (t) => {
  const { world, ada, bob, adasPost, bobsPost } = await creatorsIn(t)
  const admin = await administrator(world)
  const { address, id } = await quotes(bob, adasPost.postId)
  await ada.publisher.calls(withdrawPost, { params: adasPost })
  await ada.owner.calls(clearPayoutAddress, {})
  await arrives(world, address, price)
  const list = async (query: object = {}): Promise<{ obligations: Obligation[]; pagination: { nextCursor: string } }> =>
    (await admin.owner.calls(listObligations, { query })).body
  const [owed] = (await list()).obligations
  deepEqual(owed, {
    id: owed!.id,
    role: 'creator',
    status: 'blocked',
    reason: 'no address is saved',
    asset: 'XNO',
    amountRaw: String(price - price / 20n),
    destination: owed!.destination,
    createdAt: owed!.createdAt,
    payee: { id: ada.accountId, handle: ada.handle },
    sourceKind: 'purchase',
    sourceId: id,
  })
  deepEqual(
    (await list({ status: 'waiting' })).obligations.map(({ role }) => role),
    ['house'],
  )
  const retried = await admin.owner.calls(retryObligation, { params: { obligationId: owed!.id } })
  deepEqual([retried.status, retried.body.code], [409, 'creator-decides'])
  await world.advance(1)
  await arrives(world, (await quotes(ada, bobsPost.postId)).address, price + xno)
  const refundId = await refuses(world, 'refund')
  const first = await list({ limit: '1' })
  const next = await list({ limit: '1', cursor: first.pagination.nextCursor })
  deepEqual([first.obligations[0]!.id, next.obligations[0]!.id], [owed!.id, refundId])
  equal(next.pagination.nextCursor, null)
})

test('a refund is tried again by an administrator: once, in the audit log, to the sender of the money', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  const admin = await administrator(world)
  await arrives(world, (await quotes(bob, adasPost.postId)).address, price + xno)
  const obligationId = await refuses(world, 'refund')
  await world.runJobs()
  const issue = (await bob.owner.calls(listNotifications, {})).body.notifications[0]
  deepEqual(
    [issue.kind, issue.title],
    ['account_issue', '1 XNO that you sent for “On engines” could not be sent back yet'],
  )
  const elsewhere = { params: { obligationId }, body: { destination: `nano_${'1'.repeat(52)}hifc8npp` } }
  const settled = await admin.owner.calls(settleObligation, elsewhere)
  deepEqual([settled.status, settled.body.code], [409, 'goes-to-sender'])
  const tries = () => admin.owner.calls(retryObligation, { params: { obligationId } })
  const [one, other] = await Promise.all([tries(), tries()])
  deepEqual([one.status, other.status].sort(), [200, 409])
  await forget(world)
  const retried = one.status === 200 ? one.body : other.body
  deepEqual([retried.status, retried.reason, retried.amountRaw], ['waiting', null, String(xno)])
  const { rows } = await world.services.pool.query('SELECT refused_at FROM nano_sends WHERE id = $1', [obligationId])
  deepEqual(rows, [{ refused_at: null }])
  const { entries } = (await admin.owner.calls(listAuditEntries, {})).body
  deepEqual(
    [entries.length, entries[0].act, entries[0].targetKind, entries[0].targetId, entries[0].details.amountRaw],
    [1, 'payout.retry', 'payout', obligationId, String(xno)],
  )
  for (const [person, status] of [
    [ada, 403],
    [bob, 403],
  ] as const) {
    equal((await person.owner.calls(listObligations, {})).status, status)
    equal((await person.owner.calls(retryObligation, { params: { obligationId } })).status, status)
    equal((await person.owner.calls(settleObligation, elsewhere)).status, status)
  }
  const unknown = await admin.owner.calls(retryObligation, { params: { obligationId: ada.accountId } })
  deepEqual([unknown.status, unknown.body.code], [404, 'obligation-not-found'])
})

test('commission is tried again where the settings say now, unless that is ourselves', async (t) => {
  const { world, bob, adasPost } = await creatorsIn(t)
  const admin = await administrator(world)
  const { address } = await quotes(bob, adasPost.postId)
  await arrives(world, address, price)
  const obligationId = await refuses(world, 'house')
  const { addresses } = world.services
  t.after(() => Object.assign(world.services, { addresses }))
  const houses = { ours: address, new: 'nano_1111111111111111111111111111111111111111111111111111hifc8npp' }
  const tries = (house: string) => {
    Object.assign(world.services, { addresses: { ...addresses, house: async () => house } })
    return admin.owner.calls(retryObligation, { params: { obligationId } })
  }
  const refused = await tries(houses.ours)
  deepEqual([refused.status, refused.body.code], [409, 'destination-refused'])
  const retried = await tries(houses.new)
  deepEqual([retried.status, retried.body.destination, retried.body.payee], [200, houses.new, null])
  await forget(world)
})
