import { deepEqual, equal, match } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { listAuditEntries } from '@pennypost/contract/audit-log'
import { continueWithEmail, verifyContinuation } from '@pennypost/contract/continuations'
import { createInvitation, listInvitations, revokeInvitation } from '@pennypost/contract/invitations'
import { startRegistration, verifyRegistration } from '@pennypost/contract/registrations'
import { type RegistrationMode, updateSiteSettings } from '@pennypost/contract/site-settings'
import { startSiwxChallenge, verifySiwxChallenge } from '@pennypost/contract/siwx-logins'
import { claimNanoTransfer } from '@pennypost/contract/transfer-logins'
import { answerNanoChallenge, getNanoChallenge, verifyNanoChallenge } from '@pennypost/contract/wallet-logins'
import { administrator } from '../discussion/discussion.fixture.ts'
import { createBaseWallet } from '../test/base-wallet.ts'
import { nextAddress, Person } from '../test/person.ts'
import { createWorld, type World } from '../test/world.ts'
import { startsTransfer } from './wallets/transfers.fixture.ts'
import { challengeFor, signInByWallet, signingWallet } from './wallets/wallets.fixture.ts'

let newcomers = 0

async function openSite(t: TestContext, registration: RegistrationMode) {
  const world = await createWorld(t)
  const admin = await administrator(world)
  const sets = async (mode: RegistrationMode) =>
    equal((await admin.owner.calls(updateSiteSettings, { body: { registration: mode } })).status, 200)
  await sets(registration)
  const invites = async (body: { maxUses?: number; expiresAt?: string } = {}) =>
    (await admin.owner.calls(createInvitation, { body })).body
  return { world, admin, sets, invites }
}

const registers = (world: World, invitation?: string) => {
  newcomers += 1
  const [id, email] = [randomUUID(), `registers${newcomers}@example.com`]
  const body = {
    email,
    name: 'Ada',
    handle: `ada_${newcomers}`,
    acceptedTerms: true as const,
    ...(invitation !== undefined && { invitation }),
  }
  const started = world.stranger().calls(startRegistration, { idempotencyKey: id, body })
  return { id, email, started }
}

async function verifiesRegistration(world: World, { id, email }: { id: string; email: string }) {
  await world.runJobs()
  const code = (await world.mailTo(email))[0]!.code!
  return world.stranger().calls(verifyRegistration, { params: { registrationId: id }, body: { code } })
}

const continues = (world: World, email: string, invitation?: string) =>
  world.stranger().calls(continueWithEmail, {
    body: { email, acceptedTerms: true, ...(invitation !== undefined && { invitation }) },
  })

const verifies = (world: World, continuationId: string, code: string) =>
  world.stranger().calls(verifyContinuation, { params: { continuationId }, body: { code } })

const newMailbox = () => {
  newcomers += 1
  return `continues${newcomers}@example.com`
}

const expected = [
  ['closed', 'registration-closed'],
  ['invite', 'invitation-required'],
] as const

for (const [mode, code] of expected) {
  test(`registration ${mode}: new accounts are refused, existing ones sign in`, async (t) => {
    const { world } = await openSite(t, mode)
    const refused = await registers(world).started
    deepEqual([refused.status, refused.body.code], [403, code])
    const reader = await world.reader()
    const { continuationId } = (await continues(world, reader.email)).body
    await world.runJobs()
    const right = (await world.mailTo(reader.email))[0]!.code!
    const signedIn = await verifies(world, continuationId, right)
    deepEqual([signedIn.status, signedIn.body.isNewAccount], [200, false])
  })

  test(`registration ${mode}: an unknown address gets one email without a code, and the same reply`, async (t) => {
    const { world } = await openSite(t, mode)
    const email = newMailbox()
    const reply = await continues(world, email)
    equal(reply.status, 202)
    await world.runJobs()
    const mails = await world.mailTo(email)
    equal(mails.length, 1)
    equal(mails[0]!.code, null)
    match(mails[0]!.text, mode === 'invite' ? /invitation/ : /does not accept new accounts/)
    equal((await verifies(world, reply.body.continuationId, '123456')).status, 401)
  })

  test(`registration ${mode}: it counts when the account would be created`, async (t) => {
    const { world, sets } = await openSite(t, 'open')
    const registration = registers(world)
    equal((await registration.started).status, 202)
    const email = newMailbox()
    const { continuationId } = (await continues(world, email)).body
    await world.runJobs()
    const right = (await world.mailTo(email))[0]!.code!
    await sets(mode)
    equal((await verifiesRegistration(world, registration)).body.code, code)
    equal((await verifies(world, continuationId, right)).body.code, code)
    const { rows } = await world.services.pool.query('SELECT FROM accounts WHERE email = ANY($1)', [
      [registration.email, email],
    ])
    equal(rows.length, 0)
    // The code was not used up: it works once registration is open again.
    await sets('open')
    equal((await verifies(world, continuationId, right)).status, 200)
  })

  test(`registration ${mode}: an unknown wallet is refused, a known one signs in`, async (t) => {
    const { world, sets } = await openSite(t, 'open')
    const known = signingWallet()
    await signInByWallet(world, known)
    await sets(mode)
    equal(typeof (await signInByWallet(world, known)).accountId, 'string')
    const stranger = world.stranger()

    const nano = signingWallet()
    const challenge = await challengeFor(stranger, nano.address)
    const body = {
      challengeId: challenge.challengeId,
      account: nano.address,
      signature: nano.signs(challenge.message),
    }
    const signed = await stranger.calls(verifyNanoChallenge, { body })
    deepEqual([signed.status, signed.body.code], [403, code])

    const link = await challengeFor(stranger, nano.address)
    const params = { challengeId: link.challengeId }
    const now = Math.floor(world.services.clock.now().getTime() / 1000)
    await stranger.calls(answerNanoChallenge, { params, body: nano.signsLink(link.uri, now) })
    const poller = new Person(world, nextAddress(), link.pollSecret)
    equal((await poller.calls(getNanoChallenge, { params })).body.code, code)

    const evm = createBaseWallet()
    const siwx = (await stranger.calls(startSiwxChallenge, { body: { address: evm.address } })).body
    const proof = { challengeId: siwx.challengeId, signature: await evm.signMessage(siwx.message) }
    equal((await stranger.calls(verifySiwxChallenge, { body: proof })).body.code, code)

    const { transferId, loginSecret } = await startsTransfer(stranger)
    await world.services.pool.query(`UPDATE wallet_transfers SET state = 'received', sender = $1 WHERE id = $2`, [
      signingWallet().address,
      transferId,
    ])
    const claimed = await stranger.calls(claimNanoTransfer, { params: { transferId }, body: { loginSecret } })
    equal(claimed.body.code, code)
  })
}

test('an invitation lets as many people sign up as it says, by either form', async (t) => {
  const { world, admin, invites } = await openSite(t, 'invite')
  const invitation = await invites({ maxUses: 2 })
  match(invitation.code, /^svciv_/)
  equal(invitation.url, `http://pennypost.test/join#invitation=${invitation.code}`)
  const registration = registers(world, invitation.code)
  equal((await registration.started).status, 202)
  equal((await verifiesRegistration(world, registration)).status, 200)
  const email = newMailbox()
  const { continuationId } = (await continues(world, email, invitation.code)).body
  await world.runJobs()
  const verified = await verifies(world, continuationId, (await world.mailTo(email))[0]!.code!)
  deepEqual([verified.status, verified.body.isNewAccount], [200, true])
  equal((await registers(world, invitation.code).started).body.code, 'invitation-required')
  equal((await continues(world, newMailbox(), invitation.code)).body.code, 'invitation-required')
  const [listed] = (await admin.owner.calls(listInvitations, {})).body.invitations
  deepEqual([listed.id, listed.usedCount, listed.maxUses], [invitation.id, 2, 2])
})

test('people who sign up at the same time do not share an invitation for one', async (t) => {
  const { world, invites } = await openSite(t, 'invite')
  const { code } = await invites()
  const attempts = [registers(world, code), registers(world, code), registers(world, code)]
  for (const { started } of attempts) equal((await started).status, 202)
  await world.runJobs()
  const replies = await Promise.all(attempts.map((attempt) => verifiesRegistration(world, attempt)))
  deepEqual(replies.map(({ status }) => status).sort(), [200, 403, 403])
})

test('an invitation that is revoked, expired, forged or used does not work', async (t) => {
  const { world, admin, invites } = await openSite(t, 'invite')
  const [revoked, expiring] = [await invites(), await invites({ expiresAt: '2099-01-01T00:00:00Z' })]
  const params = { invitationId: revoked.id }
  const ended = await admin.owner.calls(revokeInvitation, { params })
  equal(ended.status, 200)
  await world.advance(60)
  deepEqual(
    (await admin.owner.calls(revokeInvitation, { params })).body,
    ended.body,
    'revoking it again changes nothing',
  )
  const { entries } = (await admin.owner.calls(listAuditEntries, {})).body
  equal(entries.filter(({ act }: { act: string }) => act === 'invitation.revoke').length, 1)
  await world.services.pool.query('UPDATE invitations SET expires_at = now() - interval $$1 day$$ WHERE id = $1', [
    expiring.id,
  ])
  for (const code of [revoked.code, expiring.code, `${revoked.code}x`, 'svciv_', ''])
    equal((await registers(world, code).started).body.code, 'invitation-required', code)
  const past = await admin.owner.calls(createInvitation, { body: { expiresAt: '2001-01-01T00:00:00Z' } })
  deepEqual([past.status, past.body.errors[0].field], [422, 'expiresAt'])
  const unknown = await admin.owner.calls(revokeInvitation, { params: { invitationId: randomUUID() } })
  equal(unknown.body.code, 'invitation-not-found')
  const reader = await world.reader()
  for (const refused of [
    await reader.owner.calls(listInvitations, {}),
    await reader.owner.calls(createInvitation, { body: {} }),
    await reader.owner.calls(revokeInvitation, { params }),
  ])
    equal(refused.body.code, 'admin-required')
})
