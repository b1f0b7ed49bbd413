import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getMe } from '@pennypost/contract/me'
import { getProfile, saveBasePayoutAddress, savePayoutAddress } from '@pennypost/contract/profiles'
import type { Person } from '../test/person.ts'
import { sharedWorld } from '../test/world.ts'

const nanoAddress = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
const baseAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

const me = async (person: Person) => {
  const { status, body } = await person.calls(getMe, {})
  equal(status, 200)
  return body
}

test('an owner hears everything about the account', async (t) => {
  const world = await sharedWorld(t)
  const { owner, publisher, accountId, email } = await world.creator()
  const nano = (await owner.calls(savePayoutAddress, { body: { payoutAddress: nanoAddress } })).body
  const body = await me(owner)
  equal(body.id, accountId)
  deepEqual(body.profile, (await publisher.calls(getProfile, {})).body)
  equal(body.profile.id, accountId)
  const { expiresAt, ...credential } = body.credential
  deepEqual(credential, { kind: 'owner-session', scope: 'owner', keyId: null })
  ok(Date.parse(expiresAt) > world.services.clock.now().getTime())
  deepEqual([body.email, body.emailVerified, body.walletAddresses], [email, true, []])
  deepEqual(body.receiving, {
    nano: { configured: true, payoutAddress: nanoAddress, addressUpdatedAt: nano.addressUpdatedAt },
    base: { configured: false, payoutAddress: null, addressUpdatedAt: null },
  })
  deepEqual(body.authority, { canPublish: false, canReadFinance: true, canManageKeys: true, isAdmin: false })
  deepEqual(Object.keys(body.actions.finance), ['transactions', 'earnings', 'payouts'])
})

test('a Publishing key hears no email, no finance and no address', async (t) => {
  const world = await sharedWorld(t)
  const { owner, publisher, accountId, email } = await world.creator()
  await owner.calls(savePayoutAddress, { body: { payoutAddress: nanoAddress } })
  await owner.calls(saveBasePayoutAddress, { body: { payoutAddress: baseAddress } })
  const body = await me(publisher)
  equal(body.id, accountId)
  deepEqual(body.receiving, { nano: { configured: true }, base: { configured: true } })
  deepEqual(body.authority, { canPublish: true, canReadFinance: false, canManageKeys: false, isAdmin: false })
  for (const field of ['email', 'emailVerified', 'walletAddresses']) equal(field in body, false, field)
  equal('finance' in body.actions, false)
  for (const secret of [email, nanoAddress, baseAddress]) equal(JSON.stringify(body).includes(secret), false)
})

test('a Publishing key hears which key it is and when it ends', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const { credential } = await me(publisher)
  equal(credential.kind, 'publishing-key')
  equal(credential.scope, 'posts:publish')
  equal(credential.keyId, publisher.token!.split('_')[1])
  const days = (Date.parse(credential.expiresAt) - world.services.clock.now().getTime()) / 86_400_000
  ok(days > 89.9 && days <= 90, `${days} days`)
})

test('nobody without a credential is anyone', async (t) => {
  const world = await sharedWorld(t)
  equal((await world.stranger().calls(getMe, {})).status, 401)
})

test('only an owner session is an administrator', async (t) => {
  const world = await sharedWorld(t)
  const { owner, publisher, accountId } = await world.creator()
  await world.services.db.updateTable('accounts').set({ is_admin: true }).where('id', '=', accountId).execute()
  equal((await me(owner)).authority.isAdmin, true)
  equal((await me(publisher)).authority.isAdmin, false)
})

test('`me` says what is missing for a first Post: name, handle, an address on either rail', async (t) => {
  const world = await sharedWorld(t)
  const { owner, publisher, accountId } = await world.creator()
  const blockers = async () =>
    (await me(publisher)).publication.blockers.map((one: { code: string; field: string }) => `${one.code} ${one.field}`)
  deepEqual(await blockers(), ['receiving-address-required receivingAddress'])
  const unnamed = { name: 'New User', handle: 'user_a1b2c3' }
  await world.services.db.updateTable('accounts').set(unnamed).where('id', '=', accountId).execute()
  await owner.calls(saveBasePayoutAddress, { body: { payoutAddress: baseAddress } })
  deepEqual(await blockers(), ['profile-incomplete name', 'profile-incomplete handle'])
  const named = { name: 'Ada', handle: 'ada_l' }
  await world.services.db.updateTable('accounts').set(named).where('id', '=', accountId).execute()
  for (const person of [owner, publisher]) deepEqual((await me(person)).publication, { ready: true, blockers: [] })
})

test('the actions on attachments are the routes of the API', async (t) => {
  const world = await sharedWorld(t)
  const { owner, publisher } = await world.creator()
  const { postAttachments } = (await me(publisher)).actions
  const told = Object.entries<{ method: string; path: string }>(postAttachments).map(
    ([name, { method, path }]) => `${name}: ${method} ${path}`,
  )
  const at = '/api/v1/posts/{postId}/attachments'
  deepEqual(told, [
    `list: GET ${at}`,
    `reserve: POST ${at}/uploads`,
    `lookup: GET ${at}/uploads`,
    `transport: POST ${at}/uploads/{operationId}/transport`,
    `complete: POST ${at}/uploads/{operationId}/complete`,
    `edit: PATCH ${at}/{assetId}`,
    `remove: DELETE ${at}/{assetId}`,
    `download: GET ${at}/{assetId}/download`,
  ])
  deepEqual((await me(owner)).actions.postAttachments, postAttachments)
})

test('the limits are the documented ones', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const { limits } = await me(publisher)
  const told = {
    activeKeys: 5,
    keyLifetimeDays: 90,
    nameCharacters: 50,
    handleCharacters: 30,
    bioCharacters: 250,
    locationCharacters: 80,
    socialLinks: 2,
    postAttachments: 3,
    attachmentBytes: 10485760,
    profileAttachmentBytes: 104857600,
    imageBytes: 2097152,
    inlineImageBytes: 5242880,
    tagsPerPost: 10,
    commentCharacters: 2000,
  }
  deepEqual({ ...limits, ...told }, limits)
  deepEqual([limits.drafts, limits.draftBytes], [2000, 50_000_000])
})

test('knowing who calls is one statement, and me needs no other', async (t) => {
  const world = await sharedWorld(t)
  const { owner, publisher } = await world.creator()
  const query = t.mock.method(world.services.pool, 'query')
  for (const person of [owner, publisher]) {
    // The first use of a key in a while is written down.
    await me(person)
    query.mock.resetCalls()
    await me(person)
    const statements = query.mock.calls.map((call) => (call.arguments[0] as { name?: string }).name)
    equal(statements.length, 1, statements.join())
  }
})
