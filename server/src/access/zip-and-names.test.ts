import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getAccess, getAsset } from '@pennypost/contract/access'
import { createCheckout, settleCheckout } from '@pennypost/contract/checkout'
import { getX402Manifest, getX402ManifestFile } from '@pennypost/contract/discovery'
import { getOpenApi } from '@pennypost/contract/platform-operations'
import { createPost } from '@pennypost/contract/posts'
import { publishPost, withdrawPost } from '@pennypost/contract/publishing'
import { hasAnvil } from '../test/base-chain.ts'
import { payWith } from '../test/base-wallet.ts'
import { nextAddress, Person } from '../test/person.ts'
import { smallZip, uploadZip } from '../uploads/attachments.fixture.ts'
import { base64, presents, quoteFor, signature } from './x402/buying.fixture.ts'
import { openUsdcMarket, sellsForUsdc, type UsdcMarket, usdcZipPost } from './x402/usdc-market.fixture.ts'

const skip = !hasAnvil

async function sellsZip({ creator, world }: UsdcMarket) {
  const { body: draft } = await creator.publisher.sends(createPost, { body: usdcZipPost })
  const bytes = smallZip()
  const { body } = await uploadZip(creator.publisher, draft.id, bytes)
  await world.runJobs()
  equal((await creator.publisher.calls(publishPost, { params: { postId: draft.id } })).status, 200)
  return { postId: draft.id as string, bytes, asset: { params: { assetId: body.attachment.id as string } } }
}

test('ZIPs come with a settled proof and its token, never with an unsettled one', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, creator } = market
  const { postId, bytes, asset } = await sellsZip(market)
  const person = world.stranger()
  const { accepted, payload } = await market.order(person, await market.fundedWallet(), postId)
  const headers = signature(accepted, payload)
  const early = await person.calls(getAsset, { ...asset, headers })
  deepEqual([early.status, early.body.code], [403, 'post-payment-unsettled'])
  equal(await market.balance(market.payTo), 0n, 'no payment is taken here')
  equal((await presents(person, postId, accepted, payload)).status, 200)
  const got = await person.calls(getAsset, { ...asset, headers })
  equal(got.status, 200)
  ok(bytes.equals(Buffer.from(got.body)))
  const thief = world.stranger()
  const own = await quoteFor(thief, postId, 'eip155:8453')
  const stolen = await thief.calls(getAsset, { ...asset, headers: signature(own, payload) })
  deepEqual([stolen.status, stolen.body.code], [403, 'post-payment-unsettled'])
  const other = await sellsForUsdc(creator)
  const foreign = await market.order(person, await market.fundedWallet(), other)
  equal((await presents(person, other, foreign.accepted, foreign.payload)).status, 200)
  const wrongPost = await person.calls(getAsset, { ...asset, headers: signature(foreign.accepted, foreign.payload) })
  equal(wrongPost.status, 403, 'a proof of another Post')
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  equal((await person.calls(getAsset, { ...asset, headers })).status, 200, 'withdrawn, and still theirs')
  equal((await thief.calls(getAsset, { ...asset, headers: signature(own, payload) })).status, 404)
  await market.later(10)
})

test('a payment identifier names one payment: another proof under it is 409', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const person = world.stranger()
  const wallet = await market.fundedWallet()
  const named = (accepted: object, payload: object) => {
    const extensions = { 'payment-identifier': { info: { required: false, id: 'pay_0123456789abcdef' } } }
    return { 'payment-signature': base64({ x402Version: 2, payload, accepted, extensions }) }
  }
  const { accepted, payload } = await market.order(person, wallet)
  const params = { postId }
  for (let time = 0; time < 2; time += 1)
    equal((await person.calls(getAccess, { params, headers: named(accepted, payload) })).status, 200)
  const { postId: other, asset } = await sellsZip(market)
  const second = await market.order(person, wallet, other)
  const headers = named(second.accepted, second.payload)
  const checkout = await person.calls(createCheckout, {
    body: { postId: other, asset: 'USDC' },
    idempotencyKey: randomUUID(),
  })
  const [offered] = checkout.body.paymentRequired.accepts
  const holder = new Person(world, nextAddress(), checkout.body.checkoutCredential)
  for (const conflict of [
    await person.calls(getAccess, { params: { postId: other }, headers }),
    await person.calls(getAsset, { ...asset, headers }),
    await holder.calls(settleCheckout, {
      params: { checkoutId: checkout.body.checkout.id },
      headers: named(offered, (await payWith(wallet, offered)).payload),
    }),
  ])
    deepEqual([conflict.status, conflict.body.code], [409, 'payment-identifier-conflict'])
  const malformed = await person.calls(getAsset, { ...asset, headers: { 'payment-signature': 'x' } })
  deepEqual([malformed.status, malformed.body.code], [400, 'payment-malformed'])
  await market.later(10)
})

test('directories find what is for sale, and how it is paid', { skip }, async (t) => {
  const { world, postId } = await openUsdcMarket(t)
  const person = world.stranger()
  for (const endpoint of [getX402Manifest, getX402ManifestFile]) {
    const { status, body } = await person.calls(endpoint, {})
    equal(status, 200)
    deepEqual([body.version, body.x402Version, body.kind], [1, 2, 'resource-server'])
    deepEqual(body.resources, [`${world.origin}/api/posts/${postId}/access`])
  }
  const { body } = await person.calls(getOpenApi, {})
  const operation = body.paths['/api/posts/{postId}/access'].get
  deepEqual(operation['x-payment-info'].protocols, [{ x402: {} }])
  ok(operation.responses['402'])
})
