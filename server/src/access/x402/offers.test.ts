import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { getAccess, getDidDocument } from '@pennypost/contract/access'
import { getPublicPost } from '@pennypost/contract/discovery'
import { saveBasePayoutAddress } from '@pennypost/contract/profiles'
import { PaymentRequired } from '@pennypost/contract/x402'
import { tipThroughX402 } from '@pennypost/contract/x402-tips'
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  findAcceptsObjectFromSignedOffer,
  type JWSSignedOffer,
  verifyOfferSignatureJWS,
} from '@x402/extensions/offer-receipt'
import { buildSIWxSchema } from '@x402/extensions/sign-in-with-x'
import { savesAddress } from '../../payments/market.fixture.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { createBaseWallet } from '../../test/base-wallet.ts'
import { sharedWorld } from '../../test/world.ts'
import { jsonOf } from './buying.fixture.ts'
import { sellsForUsdc } from './usdc-market.fixture.ts'

// What a 402 offers: narrowed to one rail, and signed. No chain is asked for it.

const skip = !hasAnvil

async function sellsForBoth(t: TestContext, input: object = {}) {
  const world = await sharedWorld(t)
  const creator = await world.creator()
  const base = createBaseWallet().address
  await creator.owner.calls(saveBasePayoutAddress, { body: { payoutAddress: base } })
  await savesAddress(creator, 'nano_1natrium1o3z5519ifou7xii8crpxpk8y65qmkih8e8bpsjri651oza8imdd')
  const postId = await sellsForUsdc(creator, input)
  const person = world.stranger()
  const quote = (query: object = {}) => person.calls(getAccess, { params: { postId }, query })
  return { world, creator, person, postId, quote, url: `${world.origin}/api/posts/${postId}/access` }
}

const networksOf = ({ body }: { body: PaymentRequired }) => [
  body.accepts.map(({ network }) => network),
  body.offers.map(({ network }) => network),
]

test('`asset` or `network` narrows a 402 to one offer, in the body and in the header', { skip }, async (t) => {
  const { quote, url } = await sellsForBoth(t)
  const [usdc, nano] = ['eip155:8453', 'nano:mainnet']
  deepEqual(networksOf(await quote()), [
    [usdc, nano],
    [usdc, nano],
  ])
  for (const query of [{ asset: 'USDC' }, { network: usdc }, { asset: 'USDC', network: usdc }]) {
    const reply = await quote(query)
    deepEqual([reply.status, ...networksOf(reply)], [402, [usdc], [usdc]])
    deepEqual(jsonOf(reply, 'payment-required').accepts, reply.body.accepts)
    equal(reply.body.resource.url, url, 'the resource is the same')
  }
  for (const query of [{ asset: 'XNO' }, { network: nano }, { network: 'nano-mainnet' }])
    deepEqual(networksOf(await quote(query)), [[nano], [nano]])
  for (const query of [{ asset: 'EUR' }, { network: 'eip155:1' }, { asset: 'XNO', network: usdc }])
    equal((await quote(query)).status, 400, JSON.stringify(query))
})

test('each offer names the URL that quotes it alone', { skip }, async (t) => {
  const { person, postId, url, quote } = await sellsForBoth(t)
  const { body } = await person.calls(getPublicPost, { params: { postId } })
  for (const offers of [body.paymentOffers, (await quote()).body.offers])
    deepEqual(
      offers.map(({ quoteUrl }: { quoteUrl: string }) => quoteUrl),
      [`${url}?asset=USDC`, `${url}?asset=XNO`],
    )
  equal(body.accessUrl, url)
})

test('a rail that is not ready is named with the reason, and nothing is accepted', { skip }, async (t) => {
  const { creator, person } = await sellsForBoth(t)
  const postId = await sellsForUsdc(creator, { priceCurrency: 'XNO', priceAtomic: String(10n ** 27n) })
  const { status, body } = await person.calls(getAccess, { params: { postId }, query: { asset: 'USDC' } })
  deepEqual([status, body.accepts, body.offers[0].status], [402, [], 'below_minimum'])
  equal(body.extensions['offer-receipt'], undefined)
})

test('a tip may name its network; one that contradicts the asset is refused', { skip }, async (t) => {
  const { person, postId } = await sellsForBoth(t)
  const tip = (query: object) => person.calls(tipThroughX402, { params: { postId }, query: query as never })
  const byNetwork = await tip({ amount_atomic: '100000', network: 'eip155:8453' })
  deepEqual([byNetwork.status, byNetwork.body.accepts[0].network], [402, 'eip155:8453'])
  equal((await tip({ amount_atomic: '100000', asset: 'USDC', network: 'nano:mainnet' })).status, 400)
  equal((await tip({ amount_raw: String(10n ** 28n), network: 'eip155:8453' })).status, 400)
})

/** Checks every signed offer of a 402 with the library. */
async function verifiesOffers(required: PaymentRequired, key: object): Promise<number[]> {
  const signed = extractOffersFromPaymentRequired(required as never) as JWSSignedOffer[]
  for (const [index, offer] of decodeSignedOffers(signed).entries()) {
    const verified = await verifyOfferSignatureJWS(signed[index]!, key as never)
    const accepted = findAcceptsObjectFromSignedOffer(offer, required.accepts as never)
    deepEqual(accepted, required.accepts[offer.acceptIndex!])
    const { scheme, network, asset, payTo, amount } = required.accepts[offer.acceptIndex!]!
    const { validUntil, ...terms } = verified
    deepEqual(terms, { version: 1, resourceUrl: required.resource.url, scheme, network, asset, payTo, amount })
    ok(Number.isInteger(validUntil))
  }
  return signed.map(({ acceptIndex }) => acceptIndex!)
}

test('every offer of a 402 is signed; the library verifies it by our key', { skip }, async (t) => {
  const { world, person, postId, quote } = await sellsForBoth(t)
  const { body: did } = await person.calls(getDidDocument, {})
  const key = did.verificationMethod[0].publicKeyJwk
  const reply = await quote()
  deepEqual(await verifiesOffers(reply.body, key), [0, 1])
  deepEqual(await verifiesOffers(jsonOf(reply, 'payment-required'), key), [0], 'the header has room for the first')
  for (const asset of ['USDC', 'XNO'])
    deepEqual(await verifiesOffers(jsonOf(await quote({ asset }), 'payment-required'), key), [0])
  const query = { amount_atomic: '100000', asset: 'USDC' } as const
  const tip = await person.calls(tipThroughX402, { params: { postId }, query })
  deepEqual(await verifiesOffers(jsonOf(tip, 'payment-required'), key), [0])
  const [offer] = decodeSignedOffers(extractOffersFromPaymentRequired(reply.body as never))
  const now = world.services.clock.now().getTime() / 1000
  ok(offer!.validUntil <= now + 300 && offer!.validUntil > now + 240)
  const [header, , signature] = (offer!.signedOffer as JWSSignedOffer).signature.split('.')
  const forged = Buffer.from(JSON.stringify({ ...offer, amount: '1' })).toString('base64url')
  await rejects(verifyOfferSignatureJWS({ format: 'jws', signature: `${header}.${forged}.${signature}` }, key))
})

test('the header stays below 3,500 characters, whatever the post is called', { skip }, async (t) => {
  const titles = ['Short', '🚂'.repeat(200), 'ä'.repeat(200), 'x'.repeat(200)]
  for (const title of titles) {
    const { quote } = await sellsForBoth(t, { title, description: '🚂'.repeat(500) })
    const reply = await quote()
    const header = reply.headers.get('payment-required')!
    ok(header.length < 3_500, `${title.slice(0, 5)}: ${header.length}`)
    equal(reply.body.accepts.length, 2)
    const { 'sign-in-with-x': challenge } = jsonOf(reply, 'payment-required').extensions
    deepEqual(challenge.info, reply.body.extensions['sign-in-with-x'].info)
  }
})

test('a 402 has what the contract declares and no more, in the body and in the header', { skip }, async (t) => {
  const { person, postId, quote } = await sellsForBoth(t, { title: 'Gauges "for" träins, \\ and more' })
  const query = { amount_atomic: '100000', asset: 'USDC' } as const
  for (const reply of [
    await quote({ asset: 'USDC' }),
    await quote(),
    await person.calls(tipThroughX402, { params: { postId }, query }),
  ]) {
    const { offers, extensions, ...shared } = reply.body
    deepEqual(PaymentRequired.parse(reply.body), reply.body)
    const { extensions: shown, ...header } = jsonOf(reply, 'payment-required')
    deepEqual(header, shared)
    for (const [name, { schema, ...extension }] of Object.entries<Record<string, object>>(shown)) {
      deepEqual(
        Object.keys(extension),
        Object.keys(extensions[name]).filter((key) => key !== 'schema'),
        name,
      )
      ok(schema, name)
    }
    equal(
      offers.every(({ quoteUrl }: { quoteUrl: string }) => quoteUrl),
      true,
    )
  }
})

test('each of many 402s has its own address, and its own token for each rail', { skip }, async (t) => {
  const { quote } = await sellsForBoth(t)
  const replies = await Promise.all(Array.from({ length: 50 }, () => quote()))
  const [usdc, nano] = [0, 1].map((index) => replies.map(({ body }) => body.accepts[index]))
  equal(new Set(nano!.map(({ payTo }) => payTo)).size, replies.length)
  equal(new Set([...usdc!, ...nano!].map(({ extra }) => extra.quote)).size, 2 * replies.length)
})

test('the challenge has the schema of the library, and the resource says what the post is about', {
  skip,
}, async (t) => {
  const { quote } = await sellsForBoth(t, { title: 'Engines', description: 'How they weave\nalgebra.' })
  const { body } = await quote()
  deepEqual(body.extensions['sign-in-with-x'].schema, buildSIWxSchema())
  equal(body.resource.description, 'Engines: How they weave algebra.')
})
