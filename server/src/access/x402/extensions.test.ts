import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { getAccess, getDidDocument } from '@pennypost/contract/access'
import type { PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { type DiscoveryExtension, extractDiscoveryInfo, validateDiscoveryExtension } from '@x402/extensions/bazaar'
import {
  extractReceiptFromResponse,
  extractReceiptPayload,
  type JWSSignedReceipt,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt'
import {
  appendPaymentIdentifierToExtensions,
  generatePaymentId,
  isPaymentIdentifierExtension,
  validatePaymentIdentifier,
} from '@x402/extensions/payment-identifier'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { openMarket, savesAddress } from '../../payments/market.fixture.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { injectFetch } from '../../test/inject-fetch.ts'
import { base64, jsonOf, presents } from './buying.fixture.ts'
import { listen } from './listening.fixture.ts'
import { order } from './nano-orders.fixture.ts'
import { buys, openUsdcMarket, sellsForUsdc, usdcPrice } from './usdc-market.fixture.ts'

// Each extension of x402 that we speak, judged by the library that defines it.

const skip = !hasAnvil

interface BazaarSchema {
  readonly properties: {
    readonly input: { readonly properties: { readonly queryParams: object } }
    readonly output: { readonly properties: { readonly example: { readonly properties: object } } }
  }
}

const receiptIn = (reply: { headers: Headers }) =>
  extractReceiptFromResponse(new Response(null, { headers: reply.headers })) as JWSSignedReceipt

test('a settled payment is answered with a receipt that the library verifies by our address alone', {
  skip,
}, async (t) => {
  const site = await listen(t)
  const market = await openUsdcMarket(t, { settings: site.settings })
  const { world, postId } = market
  site.answersFor(world)
  const wallet = await market.fundedWallet()
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(wallet))
  const url = `${world.origin}/api/posts/${postId}/access`
  const reply = await wrapFetchWithPayment(injectFetch(world.server, '10.9.9.9'), client)(url)
  equal(reply.status, 200)
  const receipt = receiptIn(reply)
  const { transaction } = jsonOf(reply, 'payment-response')
  const issuedAt = Math.floor(world.services.clock.now().getTime() / 1000)
  const verified = await verifyReceiptSignatureJWS(receipt)
  ok(Math.abs(verified.issuedAt - issuedAt) < 60)
  deepEqual(verified, {
    version: 1,
    network: 'eip155:8453',
    resourceUrl: url,
    payer: wallet.address,
    transaction,
    issuedAt: verified.issuedAt,
  })
  const [header, , signed] = receipt.signature.split('.')
  const forged = Buffer.from(JSON.stringify({ ...verified, payer: '0x' })).toString('base64url')
  await rejects(verifyReceiptSignatureJWS({ format: 'jws', signature: `${header}.${forged}.${signed}` }))
  await market.later(10)
})

test('the same payment has the same receipt; Nano has one too; what is not settled has none', async (t) => {
  const market = await openMarket(t)
  const { world, postId } = market
  const stranger = world.stranger()
  const { accepted, payload } = await order(market, stranger)
  const refused = await presents(stranger, postId, accepted, {
    block: { ...payload.block, signature: '00'.repeat(64) },
  })
  equal(refused.headers.get('payment-response'), null)
  const paid = await presents(stranger, postId, accepted, payload)
  equal(paid.status, 200)
  await world.advance(1000)
  const again = await presents(stranger, postId, accepted, payload)
  deepEqual(jsonOf(again, 'payment-response'), jsonOf(paid, 'payment-response'))
  const { body } = await stranger.calls(getDidDocument, {})
  const [method] = body.verificationMethod
  const verified = await verifyReceiptSignatureJWS(receiptIn(paid), method.publicKeyJwk)
  deepEqual([verified.network, verified.payer], ['nano:mainnet', market.wallet.address])
  equal(verified.transaction, jsonOf(paid, 'payment-response').transaction)
  equal(method.publicKeyJwk.d, undefined, 'the key of others only')
  await market.later(10)
})

test('both addresses sign for themselves, with one key', { skip }, async (t) => {
  const settings = { ALT_BASE_URL: 'http://other.test:8080' }
  const market = await openUsdcMarket(t, { settings })
  const { world, postId } = market
  const { accepted, payload } = await buys(market, world.stranger(), await market.fundedWallet())
  const at = async (origin: string) => {
    const fetchAt = injectFetch(world.server, '10.2.2.2')
    const did = JSON.parse(await (await fetchAt(`${origin}/.well-known/did.json`)).text())
    const headers = { 'payment-signature': base64({ x402Version: 2, payload, accepted }) }
    const reply = await fetchAt(`${origin}/api/posts/${postId}/access`, { headers })
    return { did, ...extractReceiptPayload(receiptIn(reply)) }
  }
  const [here, there] = [await at('http://pennypost.test'), await at(settings.ALT_BASE_URL)]
  deepEqual([here.did.id, there.did.id], ['did:web:pennypost.test', 'did:web:other.test%3A8080'])
  deepEqual(
    [here, there].map(({ resourceUrl }) => new URL(resourceUrl).origin),
    ['http://pennypost.test', settings.ALT_BASE_URL],
  )
  const keyOf = ({ did }: typeof here) => did.verificationMethod[0].publicKeyJwk
  deepEqual(keyOf(here), keyOf(there))
  await market.later(10)
})

test('payment-identifier as the library writes it: declared with its schema, one name for one payment', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, creator } = market
  const other = await sellsForUsdc(creator)
  const person = world.stranger()
  const { body: required } = await person.calls(getAccess, { params: { postId } })
  const declared = required.extensions['payment-identifier']
  ok(isPaymentIdentifierExtension(declared))
  deepEqual(validatePaymentIdentifier(declared), { valid: true })
  const wallet = await market.fundedWallet()
  const id = generatePaymentId()
  const extensions = appendPaymentIdentifierToExtensions(structuredClone(required.extensions), id)
  deepEqual(validatePaymentIdentifier(extensions['payment-identifier']), { valid: true })
  const sends = async (ofPost: string, named: object) => {
    const { accepted, payload } = await market.order(person, wallet, ofPost)
    const headers = { 'payment-signature': base64({ x402Version: 2, payload, accepted, extensions: named }) }
    return () => person.calls(getAccess, { params: { postId: ofPost }, headers })
  }
  const first = await sends(postId, extensions)
  equal((await first()).status, 200)
  equal((await first()).status, 200, 'the same payment under its name')
  const second = await (await sends(other, extensions))()
  deepEqual([second.status, second.body.code], [409, 'payment-identifier-conflict'])
  const short = { 'payment-identifier': { info: { required: false, id: 'short' } } }
  equal((await (await sends(other, short))()).status, 400)
  equal(await market.balance(market.payTo), usdcPrice)
  await market.later(10)
})

test('bazaar data is there when it is asked for, and the library can list a Post by it', { skip }, async (t) => {
  const market = await openUsdcMarket(t, { settings: { BAZAAR: '1' } })
  const { world, creator } = market
  await savesAddress(creator, 'nano_1natrium1o3z5519ifou7xii8crpxpk8y65qmkih8e8bpsjri651oza8imdd')
  const title = '🚂'.repeat(200)
  const postId = await sellsForUsdc(creator, { title })
  const person = world.stranger()
  const reply = await person.calls(getAccess, { params: { postId } })
  equal(reply.body.accepts.length, 2)
  ok(reply.headers.get('payment-required')!.length < 3500, String(reply.headers.get('payment-required')!.length))
  const required = jsonOf(reply, 'payment-required') as PaymentRequired
  const declared = required.extensions!.bazaar as DiscoveryExtension
  deepEqual(validateDiscoveryExtension(declared), { valid: true })
  // Registries show these two.
  const { input, output } = (declared.schema as unknown as BazaarSchema).properties
  deepEqual(input.properties.queryParams, { type: 'object', properties: { asset: { enum: ['USDC', 'XNO'] } } })
  deepEqual(Object.keys(output.properties.example.properties), ['access', 'contentMarkdown', 'paidContentMarkdown'])
  const wallet = await market.fundedWallet()
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(wallet))
  const payment = await client.createPaymentPayload(required)
  const listed = extractDiscoveryInfo(payment, payment.accepted)
  deepEqual(
    [listed?.resourceUrl, listed?.description, listed && 'method' in listed && listed.method],
    [`${world.origin}/api/posts/${postId}/access`, `${'🚂'.repeat(50)}…`, 'GET'],
  )
  // A facilitator that keeps a catalog hears our words, whatever a client echoes.
  const { accepted, payload } = payment
  const lie = { ...payment.resource!, url: 'https://evil.example/', description: 'free' }
  const headers = { 'payment-signature': base64({ x402Version: 2, payload, accepted, resource: lie }) }
  equal((await person.calls(getAccess, { params: { postId }, headers })).status, 200)
  const { rows } = await world.services.pool.query('SELECT proof FROM x402_payments')
  const told = extractDiscoveryInfo(rows[0].proof.payload, rows[0].proof.requirements)
  deepEqual([told?.resourceUrl, told?.description], [listed?.resourceUrl, listed?.description])
  await market.later(10)
})

test('without the setting there is no bazaar data', async (t) => {
  const market = await openMarket(t)
  const { body } = await market.world.stranger().calls(getAccess, { params: { postId: market.postId } })
  equal(body.extensions.bazaar, undefined)
  equal(body.resource.serviceName, undefined)
})
