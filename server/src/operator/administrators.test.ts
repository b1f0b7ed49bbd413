import { deepEqual, equal, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { listAccounts } from '@pennypost/contract/admin-accounts'
import { claimAdmin } from '@pennypost/contract/admin-claim'
import { listAuditEntries } from '@pennypost/contract/audit-log'
import { getPublicPost } from '@pennypost/contract/discovery'
import { getMe } from '@pennypost/contract/me'
import { findClaimToken } from '../accounts/admin-claim.ts'
import { payable, publish } from '../posts/posts.fixture.ts'
import { emptiedWorld } from '../test/world.ts'
import { addAdministrator, holdTarget, listAdministrators, removeAdministrator } from './administrators.ts'

test('the operator makes the first administrator, and the link of the start is worth nothing from then on', async (t) => {
  const world = await emptiedWorld(t)
  const [ada, bob] = [await world.reader({ handle: 'Ada' }), await world.reader()]
  const { db, secrets } = world.services
  const token = (await findClaimToken(db, secrets))!
  deepEqual(await listAdministrators(world.services), [])
  equal((await ada.owner.calls(listAccounts, {})).status, 403)
  deepEqual((await addAdministrator(world.services, '@ADA')).isChanged, true)
  deepEqual((await addAdministrator(world.services, ada.email)).isChanged, false)
  equal((await ada.owner.calls(listAccounts, {})).status, 200)
  deepEqual(
    (await listAdministrators(world.services)).map(({ handle }) => handle),
    ['Ada'],
  )
  equal((await bob.owner.calls(claimAdmin, { body: { token } })).status, 409)
  await db.updateTable('accounts').set({ is_admin: false }).execute()
  equal((await bob.owner.calls(claimAdmin, { body: { token } })).status, 409)
  equal(await findClaimToken(db, secrets), undefined)
})

test('the last administrator stays, also if two are removed at the same time', async (t) => {
  const world = await emptiedWorld(t)
  const [ada, bob] = [await world.reader(), await world.reader()]
  for (const { accountId } of [ada, bob]) await addAdministrator(world.services, accountId)
  const removed = await Promise.allSettled(
    [ada, bob].map(({ accountId }) => removeAdministrator(world.services, accountId)),
  )
  deepEqual(removed.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  equal((await listAdministrators(world.services)).length, 1)
  const [left] = await listAdministrators(world.services)
  await rejects(removeAdministrator(world.services, left!.id), /is the only administrator/)
  const other = left!.id === ada.accountId ? bob : ada
  equal((await other.owner.calls(listAccounts, {})).status, 403)
  equal((await removeAdministrator(world.services, other.accountId)).isChanged, false)
})

test('guests, suspended accounts and strangers do not become administrators', async (t) => {
  const world = await emptiedWorld(t)
  const [ada, guest] = [await world.reader(), await world.reader()]
  await world.services.pool.query('UPDATE accounts SET is_anonymous = true WHERE id = $1', [guest.accountId])
  await holdTarget(world.services, { target: ada.accountId, reason: 'Spam', isHeld: true })
  await rejects(addAdministrator(world.services, ada.accountId), /is suspended/)
  await rejects(addAdministrator(world.services, guest.accountId), /is a guest/)
  for (const who of ['nobody_here', 'nobody@example.com', randomUUID(), '', "' OR true --"])
    await rejects(addAdministrator(world.services, who), /There is no account/)
})

test('the operator holds accounts and posts with a reason, and the audit log has it without an actor', async (t) => {
  const world = await emptiedWorld(t)
  const [admin, author] = [await world.reader(), await world.creator({ handle: 'spammer' })]
  await addAdministrator(world.services, admin.accountId)
  const { id: postId } = await publish(await payable(author))
  const post = { target: `post:${postId}`, reason: 'Copied' }
  deepEqual((await holdTarget(world.services, { ...post, isHeld: true })).isHeld, true)
  await holdTarget(world.services, { ...post, isHeld: true })
  equal((await world.stranger().calls(getPublicPost, { params: { postId } })).status, 404)
  equal((await holdTarget(world.services, { ...post, isHeld: false })).isHeld, false)
  const account = { target: '@spammer', reason: 'Spam' }
  deepEqual(await holdTarget(world.services, { ...account, isHeld: true }), {
    kind: 'account',
    id: author.accountId,
    name: '@spammer',
    isHeld: true,
  })
  equal((await author.owner.calls(getMe, {})).status, 401)
  await holdTarget(world.services, { ...account, reason: 'A mistake', isHeld: false })
  equal((await author.owner.calls(getMe, {})).status, 200)
  const { entries } = (await admin.owner.calls(listAuditEntries, {})).body
  deepEqual(
    entries.map(({ actor, act, targetId, details }: Record<string, unknown>) => [actor, act, targetId, details]),
    [
      [null, 'account.restore', author.accountId, { note: 'A mistake' }],
      [null, 'account.suspend', author.accountId, { note: 'Spam' }],
      [null, 'post.restore', postId, { note: 'Copied' }],
      [null, 'post.withdraw', postId, { note: 'Copied' }],
      [null, 'admin.grant', admin.accountId, {}],
    ],
  )
  await rejects(holdTarget(world.services, { target: admin.accountId, reason: 'x', isHeld: true }), /administrator/)
  await rejects(holdTarget(world.services, { ...account, reason: ' ', isHeld: true }), /The reason must/)
  await rejects(holdTarget(world.services, { ...account, reason: 'x'.repeat(2_001), isHeld: true }), /The reason must/)
  for (const target of ['post:1', `post:${randomUUID()}`, 'nobody_here'])
    await rejects(holdTarget(world.services, { target, reason: 'x', isHeld: true }), { name: 'CommandRefused' })
})
