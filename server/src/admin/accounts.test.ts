import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { listAccounts, removeAgentLabel, restoreAccount, suspendAccount } from '@pennypost/contract/admin-accounts'
import { listAuditEntries } from '@pennypost/contract/audit-log'
import { makeAdmin } from '@pennypost/contract/development-tools'
import { getMe } from '@pennypost/contract/me'
import { declareAgent } from '@pennypost/contract/profiles'
import { logIn, refreshSession, verifyLogin } from '@pennypost/contract/sessions'
import { answerNanoChallenge, getNanoChallenge, verifyNanoChallenge } from '@pennypost/contract/wallet-logins'
import { challengeFor, signInByWallet, signingWallet } from '../accounts/wallets/wallets.fixture.ts'
import { nextAddress, Person } from '../test/person.ts'
import { emptiedWorld, sharedWorld, type World } from '../test/world.ts'

async function administrator(world: World) {
  const admin = await world.reader({ handle: 'the_admin' })
  await world.stranger().calls(makeAdmin, { body: { profileId: admin.accountId } })
  return admin
}

test('a suspended account can neither act nor sign in until it is restored', async (t) => {
  const world = await sharedWorld(t)
  const admin = await administrator(world)
  const person = await world.creator()
  const [params, body] = [{ accountId: person.accountId }, { note: 'Spam' }]
  const { status, body: suspended } = await admin.owner.calls(suspendAccount, { params, body })
  equal(status, 200)
  ok(suspended.suspendedAt)
  equal((await person.owner.calls(getMe, {})).status, 401)
  equal((await person.publisher.calls(getMe, {})).status, 401)
  await world.advance(61)
  await world.stranger().calls(logIn, { body: { email: person.email } })
  await world.runJobs()
  const [mail] = await world.mailTo(person.email)
  const signedIn = await world.stranger().calls(verifyLogin, { body: { email: person.email, code: mail!.code! } })
  deepEqual([signedIn.status, signedIn.body.code], [401, 'invalid-verification'])
  equal((await admin.owner.calls(restoreAccount, { params, body })).body.suspendedAt, null)
  equal((await person.owner.calls(getMe, {})).status, 200)
  equal((await person.publisher.calls(getMe, {})).status, 200)
})

test('nor can it sign in with a linked wallet or refresh a session', async (t) => {
  const world = await emptiedWorld(t)
  const admin = await administrator(world)
  const wallet = signingWallet()
  const { accountId, pair } = await signInByWallet(world, wallet)
  const stranger = world.stranger()
  const [signed, linked] = [await challengeFor(stranger, wallet.address), await challengeFor(stranger, wallet.address)]
  const now = Math.floor(world.services.clock.now().getTime() / 1000)
  await stranger.calls(answerNanoChallenge, {
    params: { challengeId: linked.challengeId },
    body: wallet.signsLink(linked.uri, now),
  })
  const [params, note] = [{ accountId }, { note: 'Spam' }]
  const proof = { challengeId: signed.challengeId, account: wallet.address, signature: wallet.signs(signed.message) }
  const poller = new Person(world, nextAddress(), linked.pollSecret)
  const tries = async () => [
    (await stranger.calls(verifyNanoChallenge, { body: proof })).body.code,
    (await poller.calls(getNanoChallenge, { params: { challengeId: linked.challengeId } })).body.code,
    (await stranger.calls(refreshSession, { body: { refreshToken: pair.refreshToken } })).body.code,
  ]
  equal((await admin.owner.calls(suspendAccount, { params, body: note })).status, 200)
  deepEqual(await tries(), ['invalid-proof', 'invalid-proof', 'session-expired'])
  await admin.owner.calls(restoreAccount, { params, body: note })
  deepEqual(await tries(), [undefined, undefined, undefined])
})

test('each action is in the audit log once, with its note; repeating it does nothing', async (t) => {
  const world = await emptiedWorld(t)
  const admin = await administrator(world)
  const agent = await world.creator()
  await agent.publisher.calls(declareAgent, {})
  const params = { accountId: agent.accountId }
  for (const endpoint of [suspendAccount, restoreAccount, removeAgentLabel])
    for (const note of ['First', 'Again']) await admin.owner.calls(endpoint, { params, body: { note } })
  const { body } = await admin.owner.calls(listAuditEntries, {})
  deepEqual(
    body.entries.map(({ act, targetId, details }: Record<string, unknown>) => [act, targetId, details]),
    ['account.remove-agent-label', 'account.restore', 'account.suspend'].map((act) => [
      act,
      agent.accountId,
      { note: 'First' },
    ]),
  )
  equal((await agent.owner.calls(getMe, {})).body.profile.authorKind, 'human')
})

test('only administrators can suspend; administrators and unknown accounts cannot be suspended', async (t) => {
  const world = await emptiedWorld(t)
  const admin = await administrator(world)
  const person = await world.reader()
  const body = { note: 'Why' }
  for (const endpoint of [suspendAccount, restoreAccount, removeAgentLabel]) {
    const refused = await person.owner.calls(endpoint, { params: { accountId: admin.accountId }, body })
    deepEqual([refused.status, refused.body.code], [403, 'admin-required'])
    const missing = await admin.owner.calls(endpoint, { params: { accountId: randomUUID() }, body })
    deepEqual([missing.status, missing.body.code], [404, 'account-not-found'])
  }
  equal((await person.owner.calls(listAccounts, {})).status, 403)
  const own = await admin.owner.calls(suspendAccount, { params: { accountId: admin.accountId }, body })
  deepEqual([own.status, own.body.code], [409, 'account-is-admin'])
})

test('accounts are listed by handle, in pages, filtered by prefix and suspension', async (t) => {
  const world = await emptiedWorld(t)
  const admin = await administrator(world)
  const people = []
  for (const handle of ['Ada_one', 'ada_two', 'bert_one']) people.push(await world.reader({ handle }))
  const handlesOf = async (query: object) =>
    (await admin.owner.calls(listAccounts, { query })).body.accounts.map(({ handle }: { handle: string }) => handle)
  deepEqual(await handlesOf({}), ['Ada_one', 'ada_two', 'bert_one', 'the_admin'])
  deepEqual(await handlesOf({ q: 'ADA_' }), ['Ada_one', 'ada_two'])
  deepEqual(await handlesOf({ q: '%' }), [])
  const first = await admin.owner.calls(listAccounts, { query: { limit: '1', q: 'ada' } })
  deepEqual(await handlesOf({ q: 'ada', cursor: first.body.pagination.nextCursor }), ['ada_two'])
  await admin.owner.calls(suspendAccount, { params: { accountId: people[1]!.accountId }, body: { note: 'x' } })
  deepEqual(await handlesOf({ suspended: 'true' }), ['ada_two'])
  equal((await handlesOf({ suspended: 'false' })).includes('ada_two'), false)
})
