import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getAccess, getAsset } from '@pennypost/contract/access'
import { getMe } from '@pennypost/contract/me'
import { getPost, updatePost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import { startSiwxChallenge, verifySiwxChallenge } from '@pennypost/contract/siwx-logins'
import { linkWallet } from '@pennypost/contract/wallets'
import { siwxMessage } from '../../rails/base/siwx/siwx-message.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { type BaseWallet, createBaseWallet, smartWalletsOn } from '../../test/base-wallet.ts'
import type { Person } from '../../test/person.ts'
import { createWorld } from '../../test/world.ts'
import { base64 } from '../x402/buying.fixture.ts'
import { buys, openUsdcMarket, sellsForUsdc } from '../x402/usdc-market.fixture.ts'

const skip = !hasAnvil

/** What the x402 extension sends: the challenge, who signed it, and the signature. */
async function signed(wallet: BaseWallet, info: Record<string, unknown>, change: Record<string, unknown> = {}) {
  const whole = { chainId: 'eip155:8453', ...info, ...change } as never
  const signature = await wallet.signMessage(siwxMessage(whole, wallet.address))
  return { 'sign-in-with-x': base64({ ...(whole as object), address: wallet.address, type: 'eip191', signature }) }
}

const challengeOf = async (person: Person, postId: string) => {
  const { body } = await person.calls(getAccess, { params: { postId } })
  return body.extensions['sign-in-with-x']
}

test('what a wallet bought stays whole though the paywall falls', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, creator } = market
  const wallet = await market.fundedWallet()
  const person = world.stranger()
  const { info } = await challengeOf(person, postId)
  const params = { postId }
  await buys(market, world.stranger(), wallet)
  const { updatedAt } = (await creator.publisher.calls(getPost, { params })).body
  const body = { enablePaywall: false }
  await creator.publisher.calls(updatePost, { params, headers: { 'x-post-revision': updatedAt }, body })
  equal((await person.calls(getAccess, { params })).body.access, 'free')
  const read = await person.calls(getAccess, { params, query: { siwx: 'read' }, headers: await signed(wallet, info) })
  equal(read.body.access, 'wallet')
  ok(read.body.paidContentMarkdown)
})

test('a buyer reads with the wallet that paid, once per challenge; nobody else does', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, creator } = market
  const wallet = await market.fundedWallet()
  await buys(market, world.stranger(), wallet)
  const person = world.stranger()
  const { info, supportedChains } = await challengeOf(person, postId)
  deepEqual(supportedChains, [{ chainId: 'eip155:8453', type: 'eip191' }])
  equal(info.uri, `${world.origin}/api/posts/${postId}/access?siwx=read`)
  equal(info.domain, 'pennypost.test')
  const reads = async (headers: Record<string, string>, ofPost = postId) =>
    person.calls(getAccess, { params: { postId: ofPost }, query: { siwx: 'read' }, headers })
  const proof = await signed(wallet, info)
  const read = await reads(proof)
  deepEqual([read.status, read.body.access, read.body.entitlement.source], [200, 'wallet', 'x402'])
  equal((await reads(proof)).status, 402, 'a captured header is good for nothing')
  const fresh = async () => (await challengeOf(person, postId)).info
  const other = await sellsForUsdc(creator)
  const wrong: [string, Record<string, string>, string?][] = [
    ['another wallet', await signed(createBaseWallet(), await fresh())],
    ['a nonce of their own', await signed(wallet, await fresh(), { nonce: 'ab'.repeat(28) })],
    ['another chain', await signed(wallet, await fresh(), { chainId: 'eip155:1' })],
    ['another domain', await signed(wallet, await fresh(), { domain: 'evil.test' })],
    ['another resource', await signed(wallet, (await challengeOf(person, other)).info)],
    ['of this Post, for another', await signed(wallet, await fresh()), other],
  ]
  for (const [what, headers, ofPost] of wrong) equal((await reads(headers, ofPost)).status, 402, what)
  const late = await signed(wallet, await fresh())
  await world.advance(301)
  equal((await reads(late)).status, 402, 'too late')
  for (const header of ['x', base64({}), base64({ ...info, address: 'x' })])
    equal((await reads({ 'sign-in-with-x': header })).status, 400)
  const elsewhere = await signed(wallet, await fresh())
  for (const query of [{}, { siwx: 'read', gift: 'x' }] as const)
    equal((await person.calls(getAccess, { params: { postId }, query, headers: elsewhere })).status, 402, 'other URI')
  equal((await reads(elsewhere)).status, 200, 'on another URI the proof was not used up')
  const again = await signed(wallet, await fresh())
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  equal((await reads(again)).status, 200, 'withdrawn, and still theirs')
  await market.later(10)
})

test('a challenge is given wherever a signature could open more, and tells nobody whether there is a post', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, creator } = market
  const wallet = await market.fundedWallet()
  await buys(market, world.stranger(), wallet)
  const person = world.stranger()
  const reads = async (ofPost: string, headers: Record<string, string> = {}) =>
    person.calls(getAccess, { params: { postId: ofPost }, query: { siwx: 'read' }, headers })
  const { updatedAt } = (await creator.publisher.calls(getPost, { params: { postId } })).body
  await creator.publisher.calls(updatePost, {
    params: { postId },
    headers: { 'x-post-revision': updatedAt },
    body: { enablePaywall: false },
  })
  equal((await person.calls(getAccess, { params: { postId } })).body.extensions, undefined)
  const free = await reads(postId)
  deepEqual([free.status, free.body.access], [200, 'free'])
  const whole = await reads(postId, await signed(wallet, free.body.extensions['sign-in-with-x'].info))
  deepEqual([whole.status, whole.body.access, whole.body.extensions], [200, 'wallet', undefined])
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  equal((await person.calls(getAccess, { params: { postId } })).status, 404)
  const shapes = []
  for (const id of [postId, randomUUID()]) {
    const { status, headers, body } = await reads(id)
    const required = JSON.parse(Buffer.from(headers.get('payment-required')!, 'base64').toString())
    deepEqual(required.extensions, body.extensions)
    const { info } = body.extensions['sign-in-with-x']
    equal(info.uri, `${world.origin}/api/posts/${id}/access?siwx=read`)
    equal((await reads(id, await signed(createBaseWallet(), info))).status, 401, 'another wallet')
    equal((await reads(id, { 'sign-in-with-x': 'x' })).status, 400)
    const alike = JSON.stringify({ body, required })
      .replaceAll(id, 'ID')
      .replaceAll(info.nonce, 'NONCE')
      .replaceAll(body.requestId, 'REQUEST')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    shapes.push([status, headers.get('www-authenticate'), alike])
  }
  equal(shapes[0]![0], 401)
  deepEqual(shapes[0], shapes[1])
  const { info } = (await reads(postId)).body.extensions['sign-in-with-x']
  equal((await reads(postId, await signed(wallet, info))).body.access, 'wallet')
  const zips = []
  for (const headers of [{}, { 'sign-in-with-x': 'x' }]) {
    const params = { assetId: randomUUID() }
    zips.push((await person.calls(getAsset, { params, query: { siwx: 'read' }, headers })).status)
  }
  deepEqual(zips, [401, 400])
  await market.later(10)
})

test('of twenty that use one challenge at once, one reads', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const wallet = await market.fundedWallet()
  await buys(market, world.stranger(), wallet)
  const person = world.stranger()
  const headers = await signed(wallet, (await challengeOf(person, postId)).info)
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => person.calls(getAccess, { params: { postId }, query: { siwx: 'read' }, headers })),
  )
  equal(replies.filter(({ status }) => status === 200).length, 1)
  await market.later(10)
})

test('a smart wallet that paid reads by its own word (1271)', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const wallet = await (await smartWalletsOn(market.chain)).create({ isDeployed: true })
  await market.chain.mint(wallet.address, 250_000n)
  await buys(market, market.world.stranger(), wallet)
  const person = market.world.stranger()
  const headers = await signed(wallet, (await challengeOf(person, market.postId)).info)
  const read = await person.calls(getAccess, { params: { postId: market.postId }, query: { siwx: 'read' }, headers })
  deepEqual([read.status, read.body.access], [200, 'wallet'])
  await market.later(10)
})

test('a wallet signs in by a challenge, in the body or in the header, once', { skip }, async (t) => {
  const world = await createWorld(t)
  const wallet = createBaseWallet()
  const person = world.stranger()
  const asks = (address: string = wallet.address) => person.calls(startSiwxChallenge, { body: { address } })
  const { status, body: challenge } = await asks(wallet.address.toLowerCase())
  equal(status, 201)
  ok(challenge.message.startsWith('pennypost.test wants you to sign in with your Ethereum account:\n'))
  equal(challenge.message, siwxMessage(challenge.info, wallet.address))
  const proof = { challengeId: challenge.challengeId, signature: await wallet.signMessage(challenge.message) }
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => person.calls(verifySiwxChallenge, { body: proof })),
  )
  deepEqual(replies.map((reply) => reply.status).sort(), [200, ...Array.from({ length: 9 }, () => 401)])
  const first = replies.find((reply) => reply.status === 200)!.body
  equal(first.session.created, true)
  ok(first.refreshToken.startsWith('svcwr_'))
  const { body: second } = await asks()
  const header = await signed(wallet, second.info)
  const again = await person.calls(verifySiwxChallenge, { headers: header })
  deepEqual([again.status, again.body.session], [200, { user: first.session.user, created: false }])
  const { body: third } = await asks()
  const changed = await signed(wallet, third.info, { statement: 'Something else' })
  equal((await person.calls(verifySiwxChallenge, { headers: changed })).status, 401)
  equal((await person.sends(verifySiwxChallenge, { headers: { 'sign-in-with-x': 'x' } })).status, 400)
  equal((await person.sends(verifySiwxChallenge, { body: {} })).status, 422)
  equal((await asks('0x1')).status, 422)
  const stranger = await createBaseWallet().signMessage(third.message)
  equal(
    (
      await person.calls(verifySiwxChallenge, {
        body: { challengeId: third.challengeId, signature: stranger as `0x${string}` },
      })
    ).status,
    401,
  )
  await world.advance(301)
  const tooLate = { challengeId: third.challengeId, signature: await wallet.signMessage(third.message) }
  equal((await person.calls(verifySiwxChallenge, { body: tooLate })).status, 401)
})

test('a wallet is linked by a challenge of that account, and reads there what it paid for', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const wallet = await market.fundedWallet()
  await buys(market, world.stranger(), wallet)
  const reader = await world.reader()
  equal((await reader.owner.calls(getAccess, { params: { postId } })).status, 402)
  const { body: signIn } = await world.stranger().calls(startSiwxChallenge, { body: { address: wallet.address } })
  const wrong = { challengeId: signIn.challengeId, signature: await wallet.signMessage(signIn.message) }
  equal((await reader.owner.calls(linkWallet, { body: wrong })).status, 401, 'a proof for signing in links nothing')
  const { body: challenge } = await reader.owner.calls(startSiwxChallenge, { body: { address: wallet.address } })
  const proof = { challengeId: challenge.challengeId, signature: await wallet.signMessage(challenge.message) }
  equal((await world.stranger().calls(verifySiwxChallenge, { body: proof })).status, 401, 'nor the other way around')
  equal((await reader.owner.calls(linkWallet, { body: proof })).status, 200)
  const read = await reader.owner.calls(getAccess, { params: { postId } })
  deepEqual([read.status, read.body.access], [200, 'wallet'])
  deepEqual((await reader.owner.calls(getMe, {})).body.walletAddresses.length, 1)
  await market.later(10)
})

test('signatures that a chain has to be asked about are not checked without end', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const person = market.world.stranger()
  const { info } = await challengeOf(person, market.postId)
  const headers = await signed(createBaseWallet(), info)
  const reads = () => person.calls(getAccess, { params: { postId: market.postId }, query: { siwx: 'read' }, headers })
  const statuses: number[] = []
  // Not all at once: on a busy machine some would wait too long for a connection to the database.
  for (let batch = 0; batch < 6; batch += 1) {
    const replies = await Promise.all(Array.from({ length: batch === 5 ? 22 : 20 }, reads))
    statuses.push(...replies.map(({ status }) => status))
  }
  deepEqual(new Set(statuses), new Set([402, 429]))
  equal(statuses.filter((status) => status === 429).length, 2)
})
