import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getMe } from '@pennypost/contract/me'
import { answerNanoChallenge, getNanoChallenge, verifyNanoChallenge } from '@pennypost/contract/wallet-logins'
import { linkWallet } from '@pennypost/contract/wallets'
import type { Person } from '../../test/person.ts'
import { tampered } from '../../test/tampered.ts'
import { emptiedWorld, sharedWorld, type World } from '../../test/world.ts'
import { challengeFor, readLink, type SignedLink, signingWallet } from './wallets.fixture.ts'

const unixNow = (world: World) => Math.floor(world.services.clock.now().getTime() / 1000)

const postSignature = (world: World, challengeId: string, body: SignedLink) =>
  world.stranger().sends(answerNanoChallenge, { params: { challengeId }, body })

async function poll(world: World, challengeId: string, pollSecret: string) {
  const page = world.stranger()
  page.token = pollSecret
  return page.calls(getNanoChallenge, { params: { challengeId } })
}

test('a wallet posts its signature, and the page that asked gets the session, once', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const { challengeId, uri, statusUrl, pollSecret } = await challengeFor(world.stranger(), wallet.address)
  const link = readLink(uri)
  deepEqual(link.methods, [{ type: 'http', url: `${statusUrl}/wallet` }])
  deepEqual([link.format, link.separator], [['timestamp', 'label', 'account'], ':'])
  deepEqual([link.account, link.nonce], [wallet.address, challengeId])
  for (const part of ['pennypost.test', 'sign in', challengeId]) ok(link.label.includes(part), part)
  ok(Math.abs(link.timestamp - unixNow(world)) <= 1)

  deepEqual((await poll(world, challengeId, pollSecret)).body, { challengeId, status: 'pending' })
  const posted = await postSignature(world, challengeId, wallet.signsLink(uri, unixNow(world)))
  deepEqual([posted.status, posted.body], [200, { status: 0 }])
  const first = await poll(world, challengeId, pollSecret)
  deepEqual([first.status, first.body.status, first.body.session.created], [200, 'signed', true])
  match(first.body.refreshToken, /^svcwr_/)
  equal(first.headers.get('cache-control'), 'private, no-store')
  const person = world.stranger()
  person.token = first.body.accessToken
  equal((await person.calls(getMe, {})).body.id, first.body.session.user.id)
  deepEqual((await poll(world, challengeId, pollSecret)).body, { challengeId, status: 'claimed' })
})

test('a wallet that uses the old address prefix is accepted', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const { challengeId, uri } = await challengeFor(world.stranger(), wallet.address)
  const body = wallet.signsLink(uri, unixNow(world))
  const old = { ...body, account: wallet.address.replace('nano_', 'xrb_'), signature: body.signature.toLowerCase() }
  equal((await postSignature(world, challengeId, old)).status, 200)
})

test('a posted signature is valid only for its challenge, its account and its time', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const { challengeId, uri, message } = await challengeFor(world.stranger(), wallet.address)
  const other = await challengeFor(world.stranger(), wallet.address)
  const now = unixNow(world)
  const right = wallet.signsLink(uri, now)
  const stranger = signingWallet()
  const wrong: [string, SignedLink][] = [
    ["another challenge's", wallet.signsLink(other.uri, now)],
    ['another account', stranger.signsLink(uri, now)],
    ['signed by another', { ...right, signature: stranger.signsLink(uri, now).signature }],
    ['another text than signed', { ...right, formatted: right.formatted.replace(String(now), String(now + 1)) }],
    ['long ago', wallet.signsLink(uri, now - 302)],
    ['far ahead', wallet.signsLink(uri, now + 602)],
    ['the message of the other way', { ...right, formatted: message, signature: wallet.signs(message) }],
    ['hashed', { ...right, signature: wallet.signs(right.formatted, 'plain') }],
    ['no time', { ...right, formatted: right.formatted.slice(11) }],
  ]
  for (const [why, body] of wrong) {
    const reply = await postSignature(world, challengeId, body)
    deepEqual([reply.status, reply.body.code], [401, 'invalid-proof'], why)
    ok(reply.body.status !== 0, 'a wallet reads 0 as success')
  }
  equal((await postSignature(world, '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f', right)).status, 404)
  equal((await postSignature(world, challengeId, wallet.signsLink(uri, now - 290))).status, 200)
  equal((await postSignature(world, challengeId, right)).status, 401)
})

test('a challenge can be polled only with its own secret', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const mine = await challengeFor(world.stranger(), wallet.address)
  const other = await challengeFor(world.stranger(), wallet.address)
  equal((await poll(world, mine.challengeId, other.pollSecret)).status, 404)
  equal((await poll(world, mine.challengeId, tampered(mine.pollSecret))).status, 401)
  equal((await poll(world, mine.challengeId, mine.challengeId)).status, 401)
  equal((await world.stranger().calls(getNanoChallenge, { params: { challengeId: mine.challengeId } })).status, 401)
  equal((await poll(world, mine.challengeId, mine.pollSecret)).status, 200)
})

test('after five minutes a challenge can be neither signed nor fetched', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const open = await challengeFor(world.stranger(), wallet.address)
  const signed = await challengeFor(world.stranger(), wallet.address)
  equal((await postSignature(world, signed.challengeId, wallet.signsLink(signed.uri, unixNow(world)))).status, 200)
  await world.advance(300)
  equal((await postSignature(world, open.challengeId, wallet.signsLink(open.uri, unixNow(world)))).status, 401)
  for (const { challengeId, pollSecret } of [open, signed])
    deepEqual((await poll(world, challengeId, pollSecret)).body, { challengeId, status: 'expired' })
})

test('fifty polls of an linked challenge: one gets the session', async (t) => {
  const world = await emptiedWorld(t)
  const wallet = signingWallet()
  const { challengeId, uri, pollSecret } = await challengeFor(world.stranger(), wallet.address)
  const body = wallet.signsLink(uri, unixNow(world))
  const replies = await Promise.all(Array.from({ length: 10 }, () => postSignature(world, challengeId, body)))
  equal(replies.filter(({ status }) => status === 200).length, 1)
  const polls = await Promise.all(Array.from({ length: 50 }, () => poll(world, challengeId, pollSecret)))
  equal(polls.filter((reply) => reply.body.status === 'signed').length, 1)
  equal(polls.filter((reply) => reply.body.status === 'claimed' && !reply.body.accessToken).length, 49)
  equal((await world.services.db.selectFrom('sessions').select('id').execute()).length, 1)
})

test('what was linked through the link is not signed in with again by a signature, nor the other way round', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const verify = (challengeId: string, message: string) =>
    world.stranger().calls(verifyNanoChallenge, {
      body: { challengeId, account: wallet.address, signature: wallet.signs(message) },
    })
  const linked = await challengeFor(world.stranger(), wallet.address)
  await postSignature(world, linked.challengeId, wallet.signsLink(linked.uri, unixNow(world)))
  equal((await verify(linked.challengeId, linked.message)).status, 401)
  const verified = await challengeFor(world.stranger(), wallet.address)
  equal((await verify(verified.challengeId, verified.message)).status, 200)
  const late = await postSignature(world, verified.challengeId, wallet.signsLink(verified.uri, unixNow(world)))
  equal(late.status, 401)
  equal((await poll(world, verified.challengeId, verified.pollSecret)).body.status, 'claimed')
})

test('a wallet is linked through its link only by the owner who started it and has the secret', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await world.reader()
  const { owner: other } = await world.reader()
  const wallet = signingWallet()
  const link = (who: Person, challengeId: string, pollSecret: string) =>
    who.calls(linkWallet, { body: { challengeId, pollSecret } })
  const { challengeId, uri, pollSecret } = await challengeFor(owner, wallet.address)
  ok(readLink(uri).label.includes(`link this wallet to account ${accountId}`))
  equal((await link(owner, challengeId, pollSecret)).status, 401, 'not signed yet')
  await postSignature(world, challengeId, wallet.signsLink(uri, unixNow(world)))
  // It never gives a session, however often it is polled.
  for (let count = 0; count < 2; count += 1)
    deepEqual((await poll(world, challengeId, pollSecret)).body, { challengeId, status: 'signed' })
  equal((await link(other, challengeId, pollSecret)).status, 401)
  equal((await link(owner, challengeId, tampered(pollSecret))).status, 401)
  const linked = await link(owner, challengeId, pollSecret)
  deepEqual([linked.status, linked.body.wallets[0].address], [200, wallet.address])
  equal((await link(owner, challengeId, pollSecret)).status, 401)
  equal((await poll(world, challengeId, pollSecret)).body.status, 'claimed')
  // One for signing in, linked and all, links nothing.
  const signIn = await challengeFor(world.stranger(), wallet.address)
  await postSignature(world, signIn.challengeId, wallet.signsLink(signIn.uri, unixNow(world)))
  equal((await link(owner, signIn.challengeId, signIn.pollSecret)).status, 401)
})
