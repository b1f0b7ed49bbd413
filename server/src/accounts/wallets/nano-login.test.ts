import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getMe } from '@pennypost/contract/me'
import { logOut, refreshSession } from '@pennypost/contract/sessions'
import { startNanoChallenge, verifyNanoChallenge } from '@pennypost/contract/wallet-logins'
import { linkWallet } from '@pennypost/contract/wallets'
import { bytesOf } from '@pennypost/nano/hex'
import type { Person } from '../../test/person.ts'
import { createWorld, emptiedWorld, sharedWorld } from '../../test/world.ts'
import { deleteExpired } from '../delete-expired.job.ts'
import { challengeFor, type SigningWallet, signInByWallet, signingWallet } from './wallets.fixture.ts'

const verify = (person: Person, challengeId: string, account: string, signature: string) =>
  person.calls(verifyNanoChallenge, { body: { challengeId, account, signature } })

/** A challenge with its valid signature. */
async function signed(person: Person, wallet: SigningWallet) {
  const { challengeId, message } = await challengeFor(person, wallet.address)
  return { challengeId, message, signature: wallet.signs(message) }
}

test('a new wallet creates an account and signs in to it again', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const first = await signInByWallet(world, wallet)
  equal(first.created, true)
  deepEqual(Object.keys(first.pair).sort(), [
    ...['accessToken', 'expiresAt', 'expiresIn', 'refreshToken', 'session', 'tokenType'],
  ])
  match(first.pair.refreshToken, /^svcwr_/)
  deepEqual([first.pair.tokenType, first.pair.expiresIn], ['Bearer', 3600])
  const me = (await first.person.calls(getMe, {})).body
  equal(me.id, first.accountId)
  deepEqual([me.email, me.emailVerified, me.profile.name], [null, false, 'New User'])
  match(me.profile.handle, /^user_[a-z0-9]{6}$/)
  deepEqual(
    me.walletAddresses.map(({ kind, address }: { kind: string; address: string }) => [kind, address]),
    [['nano', wallet.address]],
  )
  deepEqual(
    me.publication.blockers.map(({ code, field }: { code: string; field: string }) => `${code} ${field}`).sort(),
    ['profile-incomplete handle', 'profile-incomplete name', 'receiving-address-required receivingAddress'],
  )

  const again = await signInByWallet(world, wallet)
  deepEqual([again.accountId, again.created], [first.accountId, false])
  notEqual(again.pair.refreshToken, first.pair.refreshToken)
  equal((await signInByWallet(world, signingWallet())).created, true)
})

test('the text is one line of ASCII that names service, purpose, account, nonce and times', async (t) => {
  const world = await createWorld(t, { settings: { ALT_BASE_URL: 'http://second.test' } })
  const { address } = signingWallet()
  const reply = await world.stranger().calls(startNanoChallenge, { body: { account: address } })
  equal(reply.status, 201)
  const { challengeId, message, uri, statusUrl, pollSecret, expiresAt } = reply.body
  match(message, /^[\x20-\x7e]{177,}$/)
  equal(message, message.trim())
  for (const part of ['pennypost.test', 'sign in', address, challengeId, expiresAt]) ok(message.includes(part), part)
  match(message, /Issued: \d{4}-\d\d-\d\dT/)
  match(uri, /^nanoauth:[A-Za-z0-9_-]+$/)
  equal(statusUrl, `http://pennypost.test/api/v1/auth/nano/challenges/${challengeId}`)
  ok(pollSecret.length > 32)
  equal(new Date(expiresAt).getTime() - world.services.clock.now().getTime() <= 300_000, true)
  // A request to the second base URL gets a text that names it.
  const other = await world.server.inject({
    method: 'POST',
    url: '/api/v1/auth/nano/challenges',
    headers: { host: 'second.test' },
    payload: { account: address },
  })
  match(other.json().message, /^second\.test asks/)
})

test('both forms of signature sign in, in either case, with either prefix of the address', async (t) => {
  const world = await sharedWorld(t)
  // The key of ORIS-001.
  const wallet = signingWallet(bytesOf('681FD5ED71A9F81E9D29E3450F6CD8AACB87346FD21A26003389290B9D0CB173', 32))
  const old = wallet.address.replace('nano_', 'xrb_')
  const accounts = new Set<string>()
  for (const form of ['noms', 'plain'] as const) {
    for (const spelling of [wallet.address, old, wallet.address.toUpperCase(), ` ${old} `]) {
      const person = world.stranger()
      const { challengeId, message } = await challengeFor(person, spelling)
      ok(message.includes(wallet.address), 'the text names the account in one spelling')
      const signature = wallet.signs(message, form)
      const reply = await verify(person, challengeId, spelling, form === 'noms' ? signature.toLowerCase() : signature)
      equal(reply.status, 200, `${form} ${spelling}`)
      accounts.add(reply.body.session.user.id)
    }
  }
  equal(accounts.size, 1)
})

test('an invalid Nano address or signature is a validation error', async (t) => {
  const world = await sharedWorld(t)
  const person = world.stranger()
  const wallet = signingWallet()
  const wrongChecksum = wallet.address.slice(0, -1) + (wallet.address.endsWith('1') ? '3' : '1')
  for (const account of ['', 'nano_1', wrongChecksum, `0x${'a'.repeat(40)}`, 'x'.repeat(101)]) {
    const reply = await person.calls(startNanoChallenge, { body: { account } })
    deepEqual([reply.status, reply.body.errors?.[0]?.field], [422, 'account'], account)
  }
  const { challengeId, signature } = await signed(person, wallet)
  for (const wrong of ['', signature.slice(2), `${signature}00`, 'z'.repeat(128)]) {
    const reply = await verify(person, challengeId, wallet.address, wrong)
    deepEqual([reply.status, reply.body.errors?.[0]?.field], [422, 'signature'], wrong.slice(0, 4))
  }
  equal((await verify(person, challengeId, wrongChecksum, signature)).status, 422)
  equal((await verify(person, challengeId, wallet.address, signature)).status, 200)
})

test('a challenge works for five minutes, once, for its account and its own text', async (t) => {
  const world = await sharedWorld(t)
  const person = world.stranger()
  const wallet = signingWallet()
  const refused = async (challengeId: string, account: string, signature: string, why: string) => {
    const reply = await verify(person, challengeId, account, signature)
    deepEqual([reply.status, reply.body.code], [401, 'invalid-proof'], why)
  }
  const first = await signed(person, wallet)
  const second = await signed(person, wallet)
  const other = signingWallet()
  await refused('0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f', wallet.address, first.signature, 'unknown')
  await refused(first.challengeId, wallet.address, second.signature, "another challenge's signature")
  await refused(first.challengeId, other.address, other.signs(first.message), 'another account')
  await refused(first.challengeId, wallet.address, other.signs(first.message), 'signed by another')
  await refused(first.challengeId, wallet.address, wallet.signs(`${first.message} `), 'another text')
  await refused(first.challengeId, wallet.address, wallet.signs(first.challengeId), 'the nonce alone')
  equal((await verify(person, first.challengeId, wallet.address, first.signature)).status, 200)
  await refused(first.challengeId, wallet.address, first.signature, 'replayed')
  await refused(first.challengeId, wallet.address, wallet.signs(first.message, 'plain'), 'replayed in the other form')
  await world.advance(299)
  equal((await verify(person, second.challengeId, wallet.address, second.signature)).status, 200)
  const third = await signed(person, wallet)
  await world.advance(300)
  await refused(third.challengeId, wallet.address, third.signature, 'expired')
})

test('a reformatted signature cannot be used again: the challenge is spent, not the signature', async (t) => {
  const world = await sharedWorld(t)
  const person = world.stranger()
  const wallet = signingWallet()
  const { challengeId, signature } = await signed(person, wallet)
  // S + L, which nodes accept as the same signature.
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const bytes = Buffer.from(signature, 'hex')
  let s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order
  for (let index = 32; index < 64; index += 1, s >>= 8n) bytes[index] = Number(s & 255n)
  const malleated = bytes.toString('hex')
  notEqual(malleated, signature.toLowerCase())
  equal((await verify(person, challengeId, wallet.address, malleated)).status, 401)
  equal((await verify(person, challengeId, wallet.address, signature)).status, 200)
  equal((await verify(person, challengeId, wallet.address, malleated)).status, 401)
})

test('fifty parallel uses of one proof start one session', async (t) => {
  const world = await emptiedWorld(t)
  const wallet = signingWallet()
  const { challengeId, signature } = await signed(world.stranger(), wallet)
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => verify(world.stranger(), challengeId, wallet.address, signature)),
  )
  equal(replies.filter(({ status }) => status === 200).length, 1)
  equal(replies.filter(({ status }) => status === 401).length, 49)
  equal((await world.services.db.selectFrom('sessions').select('id').execute()).length, 1)
})

test('a new wallet that signs in ten times in parallel creates one account', async (t) => {
  const world = await emptiedWorld(t)
  const wallet = signingWallet()
  const signIns = await Promise.all(Array.from({ length: 10 }, () => signInByWallet(world, wallet)))
  equal(new Set(signIns.map(({ accountId }) => accountId)).size, 1)
  equal(signIns.filter(({ created }) => created).length, 1)
  equal((await world.services.db.selectFrom('accounts').select('id').execute()).length, 1)
})

test('a challenge for linking signs nobody in, and one for signing in links nothing', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader()
  const wallet = signingWallet()
  const forLink = await signed(reader.owner, wallet)
  ok(forLink.message.includes(`link this wallet to account ${reader.accountId}`))
  equal((await verify(world.stranger(), forLink.challengeId, wallet.address, forLink.signature)).status, 401)
  const link = (owner: Person, { challengeId, signature }: { challengeId: string; signature: string }) =>
    owner.calls(linkWallet, { body: { challengeId, account: wallet.address, signature } })
  const forSignIn = await signed(world.stranger(), wallet)
  deepEqual((await link(reader.owner, forSignIn)).body.code, 'invalid-proof')
  const foreign = await world.reader()
  equal((await link(foreign.owner, forLink)).status, 401)
  // The refused attempts did not use it up.
  equal((await link(reader.owner, forLink)).status, 200)
  equal((await link(reader.owner, forLink)).status, 401)
  const signIn = await verify(world.stranger(), forSignIn.challengeId, wallet.address, forSignIn.signature)
  equal(signIn.body.session.user.id, reader.accountId)
})

test('an invalid credential cannot start a challenge', async (t) => {
  const world = await sharedWorld(t)
  const person = world.stranger()
  person.token = 'nonsense'
  equal((await person.calls(startNanoChallenge, { body: { account: signingWallet().address } })).status, 401)
})

test('a wallet session rotates, repeats a lost refresh for ten seconds, and ends after a replay', async (t) => {
  const world = await sharedWorld(t)
  const { person, pair } = await signInByWallet(world, signingWallet())
  const refresh = (refreshToken: string) => world.stranger().calls(refreshSession, { body: { refreshToken } })
  const second = await refresh(pair.refreshToken)
  equal(second.status, 200)
  match(second.body.refreshToken, /^svcwr_/)
  await world.advance(9)
  deepEqual((await refresh(pair.refreshToken)).body, second.body)
  await world.advance(2)
  const replayed = await refresh(pair.refreshToken)
  deepEqual([replayed.status, replayed.body.code], [401, 'session-expired'])
  equal((await refresh(second.body.refreshToken)).status, 401)
  equal((await person.calls(getMe, {})).status, 401)
})

test('a wallet session ends thirty days after it started, however often it was refreshed', async (t) => {
  const world = await sharedWorld(t)
  let { pair } = await signInByWallet(world, signingWallet())
  const refresh = () => world.stranger().calls(refreshSession, { body: { refreshToken: pair.refreshToken } })
  for (let day = 0; day < 29; day += 1) {
    await world.advance(86_400)
    pair = (await refresh()).body
  }
  await world.advance(86_400 - 600)
  const last = await refresh()
  equal(last.status, 200)
  ok(last.body.expiresIn <= 600, 'the access token does not outlive the session')
  pair = last.body
  await world.advance(601)
  equal((await refresh()).body.code, 'session-expired')
})

test('signing out ends access and refresh of that session immediately, and of no other', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const { person, pair } = await signInByWallet(world, wallet)
  const other = await signInByWallet(world, wallet)
  const reply = await person.calls(logOut, {})
  deepEqual(reply.body, { loggedOut: true, scope: 'local', accessTokenValidUntilExpiry: false })
  equal((await person.calls(getMe, {})).status, 401)
  equal((await world.stranger().calls(refreshSession, { body: { refreshToken: pair.refreshToken } })).status, 401)
  equal((await other.person.calls(getMe, {})).status, 200)
})

test('challenges are rate-limited per IP address', async (t) => {
  const world = await sharedWorld(t)
  const person = world.stranger()
  const ask = (who: Person) => who.calls(startNanoChallenge, { body: { account: signingWallet().address } })
  const [limit] = startNanoChallenge.limits
  for (let count = 0; count < limit.max; count += 1) {
    await world.services.rateLimiter.consume(limit, person.address, world.services.clock.now())
  }
  const limited = await ask(person)
  equal(limited.status, 429)
  ok(Number(limited.headers.get('retry-after')) > 0)
  equal((await ask(world.stranger())).status, 201)
})

test('a challenge is deleted an hour after it expired, not before', async (t) => {
  const world = await sharedWorld(t)
  const ids = async () =>
    (await world.services.db.selectFrom('wallet_challenges').select('id').execute()).map(({ id }) => id)
  await challengeFor(world.stranger(), signingWallet().address)
  await world.advance(3600 + 301)
  const { challengeId } = await challengeFor(world.stranger(), signingWallet().address)
  await deleteExpired.run(world.services, {})
  deepEqual(await ids(), [challengeId])
})
