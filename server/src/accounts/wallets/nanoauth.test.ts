import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getMe } from '@pennypost/contract/me'
import { answerNanoChallenge, getNanoChallenge, verifyNanoChallenge } from '@pennypost/contract/wallet-logins'
import { linkWallet } from '@pennypost/contract/wallets'
import type { Person } from '../../test/person.ts'
import { emptiedWorld, sharedWorld, type World } from '../../test/world.ts'
import { challengeFor, readLink, signingWallet, type WalletAnswer } from './wallets.fixture.ts'

const unixNow = (world: World) => Math.floor(world.services.clock.now().getTime() / 1000)

const answer = (world: World, challengeId: string, body: WalletAnswer) =>
  world.stranger().sends(answerNanoChallenge, { params: { challengeId }, body })

async function poll(world: World, challengeId: string, pollSecret: string) {
  const page = world.stranger()
  page.token = pollSecret
  return page.calls(getNanoChallenge, { params: { challengeId } })
}

test('a wallet answers the link, and the page that asked gets the session, once', async (t) => {
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
  const answered = await answer(world, challengeId, wallet.answers(uri, unixNow(world)))
  deepEqual([answered.status, answered.body], [200, { status: 0 }])
  const first = await poll(world, challengeId, pollSecret)
  deepEqual([first.status, first.body.status, first.body.session.created], [200, 'signed', true])
  match(first.body.refreshToken, /^svcwr_/)
  equal(first.headers.get('cache-control'), 'private, no-store')
  const person = world.stranger()
  person.token = first.body.accessToken
  equal((await person.calls(getMe, {})).body.id, first.body.session.user.id)
  deepEqual((await poll(world, challengeId, pollSecret)).body, { challengeId, status: 'claimed' })
})

test('a wallet that spells its own address in the old way is taken', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const { challengeId, uri } = await challengeFor(world.stranger(), wallet.address)
  const body = wallet.answers(uri, unixNow(world))
  const old = { ...body, account: wallet.address.replace('nano_', 'xrb_'), signature: body.signature.toLowerCase() }
  equal((await answer(world, challengeId, old)).status, 200)
})

test('an answer is good for its challenge, its account and its time alone', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const { challengeId, uri, message } = await challengeFor(world.stranger(), wallet.address)
  const other = await challengeFor(world.stranger(), wallet.address)
  const now = unixNow(world)
  const right = wallet.answers(uri, now)
  const stranger = signingWallet()
  const wrong: [string, WalletAnswer][] = [
    ["another challenge's", wallet.answers(other.uri, now)],
    ['another account', stranger.answers(uri, now)],
    ['signed by another', { ...right, signature: stranger.answers(uri, now).signature }],
    ['another text than signed', { ...right, formatted: right.formatted.replace(String(now), String(now + 1)) }],
    ['long ago', wallet.answers(uri, now - 302)],
    ['far ahead', wallet.answers(uri, now + 602)],
    ['the message of the other way', { ...right, formatted: message, signature: wallet.signs(message) }],
    ['hashed', { ...right, signature: wallet.signs(right.formatted, 'plain') }],
    ['no time', { ...right, formatted: right.formatted.slice(11) }],
  ]
  for (const [why, body] of wrong) {
    const reply = await answer(world, challengeId, body)
    deepEqual([reply.status, reply.body.code], [401, 'invalid-proof'], why)
    ok(reply.body.status !== 0, 'a wallet reads 0 as success')
  }
  equal((await answer(world, '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f', right)).status, 404)
  equal((await answer(world, challengeId, wallet.answers(uri, now - 290))).status, 200)
  equal((await answer(world, challengeId, right)).status, 401)
})

test('only its own secret polls a challenge', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const mine = await challengeFor(world.stranger(), wallet.address)
  const other = await challengeFor(world.stranger(), wallet.address)
  equal((await poll(world, mine.challengeId, other.pollSecret)).status, 404)
  equal((await poll(world, mine.challengeId, `${mine.pollSecret.slice(0, -2)}AA`)).status, 401)
  equal((await poll(world, mine.challengeId, mine.challengeId)).status, 401)
  equal((await world.stranger().calls(getNanoChallenge, { params: { challengeId: mine.challengeId } })).status, 401)
  equal((await poll(world, mine.challengeId, mine.pollSecret)).status, 200)
})

test('after five minutes there is nothing to answer or to fetch', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const open = await challengeFor(world.stranger(), wallet.address)
  const signed = await challengeFor(world.stranger(), wallet.address)
  equal((await answer(world, signed.challengeId, wallet.answers(signed.uri, unixNow(world)))).status, 200)
  await world.advance(300)
  equal((await answer(world, open.challengeId, wallet.answers(open.uri, unixNow(world)))).status, 401)
  for (const { challengeId, pollSecret } of [open, signed])
    deepEqual((await poll(world, challengeId, pollSecret)).body, { challengeId, status: 'expired' })
})

test('fifty polls of an answered challenge: one gets the session', async (t) => {
  const world = await emptiedWorld(t)
  const wallet = signingWallet()
  const { challengeId, uri, pollSecret } = await challengeFor(world.stranger(), wallet.address)
  const body = wallet.answers(uri, unixNow(world))
  const answers = await Promise.all(Array.from({ length: 10 }, () => answer(world, challengeId, body)))
  equal(answers.filter(({ status }) => status === 200).length, 1)
  const polls = await Promise.all(Array.from({ length: 50 }, () => poll(world, challengeId, pollSecret)))
  equal(polls.filter((reply) => reply.body.status === 'signed').length, 1)
  equal(polls.filter((reply) => reply.body.status === 'claimed' && !reply.body.accessToken).length, 49)
  equal((await world.services.db.selectFrom('sessions').select('id').execute()).length, 1)
})

test('what was answered through the link is not signed in with again by a signature, nor the other way round', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const verify = (challengeId: string, message: string) =>
    world.stranger().calls(verifyNanoChallenge, {
      body: { challengeId, account: wallet.address, signature: wallet.signs(message) },
    })
  const answered = await challengeFor(world.stranger(), wallet.address)
  await answer(world, answered.challengeId, wallet.answers(answered.uri, unixNow(world)))
  equal((await verify(answered.challengeId, answered.message)).status, 401)
  const verified = await challengeFor(world.stranger(), wallet.address)
  equal((await verify(verified.challengeId, verified.message)).status, 200)
  const late = await answer(world, verified.challengeId, wallet.answers(verified.uri, unixNow(world)))
  equal(late.status, 401)
  equal((await poll(world, verified.challengeId, verified.pollSecret)).body.status, 'claimed')
})

test('a wallet is linked through its link by the owner who asked, who holds the secret', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await world.reader()
  const { owner: other } = await world.reader()
  const wallet = signingWallet()
  const link = (who: Person, challengeId: string, pollSecret: string) =>
    who.calls(linkWallet, { body: { challengeId, pollSecret } })
  const { challengeId, uri, pollSecret } = await challengeFor(owner, wallet.address)
  ok(readLink(uri).label.includes(`link this wallet to account ${accountId}`))
  equal((await link(owner, challengeId, pollSecret)).status, 401, 'not signed yet')
  await answer(world, challengeId, wallet.answers(uri, unixNow(world)))
  // It gives no session, however often it is asked.
  for (let count = 0; count < 2; count += 1)
    deepEqual((await poll(world, challengeId, pollSecret)).body, { challengeId, status: 'signed' })
  equal((await link(other, challengeId, pollSecret)).status, 401)
  equal((await link(owner, challengeId, `${pollSecret.slice(0, -2)}AA`)).status, 401)
  const linked = await link(owner, challengeId, pollSecret)
  deepEqual([linked.status, linked.body.wallets[0].address], [200, wallet.address])
  equal((await link(owner, challengeId, pollSecret)).status, 401)
  equal((await poll(world, challengeId, pollSecret)).body.status, 'claimed')
  // One for signing in, answered and all, links nothing.
  const signIn = await challengeFor(world.stranger(), wallet.address)
  await answer(world, signIn.challengeId, wallet.answers(signIn.uri, unixNow(world)))
  equal((await link(owner, signIn.challengeId, signIn.pollSecret)).status, 401)
})
