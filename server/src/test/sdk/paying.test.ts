import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { amountOf, memoryStore, PaymentUncertainError, type PennypostOptions } from '@pennypost/sdk'
import { nanoSigner } from '@pennypost/sdk/nano'
import { privateKeyToAccount } from 'viem/accounts'
import { openUsdcMarket, sellsForUsdc, usdcPrice } from '../../access/x402/usdc-market.fixture.ts'
import { openMarket, price, sells } from '../../payments/market.fixture.ts'
import { hasAnvil } from '../base-chain.ts'
import { injectFetch } from '../inject-fetch.ts'
import { nextAddress } from '../person.ts'
import { busy, sdkFor } from './sdk-client.fixture.ts'

// Paying with x402 behind the user's own signer.

const skip = !hasAnvil
const limits = { perPayment: { XNO: '0.3', USDC: '0.30' } }

async function openNano(t: TestContext) {
  const market = await openMarket(t)
  const { world, wallet, network } = market
  const nano = nanoSigner({ secretKey: Buffer.from(wallet.secretKey).toString('hex'), rpcUrl: network.rpcUrl })
  const clientWith = (options: Partial<PennypostOptions> = {}) =>
    sdkFor(world, { signers: { nano }, spendingLimit: limits, ...options })
  const balance = async () => (await network.client.accountInfo(wallet.address))!.balance
  return { ...market, nano, clientWith, balance }
}

const presented = (sent: readonly { readonly headers: Headers }[]) =>
  sent.flatMap(({ headers }) => headers.get('payment-signature') ?? [])

test('a post is bought with Nano, without an account, and its receipt is verified', async (t) => {
  const market = await openNano(t)
  const { postId, wallet, balance } = market
  equal(market.nano.address, wallet.address)
  const before = await balance()
  const { client, sent } = market.clientWith()
  const { post, payment } = await client.posts.buy(postId)
  equal(post.paidContentMarkdown, 'the-secret-part')
  equal(before - (await balance()), price)
  deepEqual([payment?.asset, payment?.amount, payment?.payer], ['XNO', amountOf('XNO', price), wallet.address])
  deepEqual([payment?.receipt?.isVerified, payment?.receipt?.problem], [true, undefined])
  equal(payment?.receipt?.transaction, payment?.transaction)
  // The payment opens the post again, and nothing is paid again.
  equal((await client.posts.buy(postId)).post.paidContentMarkdown, 'the-secret-part')
  equal((await client.posts.read(postId)).paidContentMarkdown, 'the-secret-part')
  equal(before - (await balance()), price)
  equal(new Set(presented(sent)).size, 1)
  deepEqual(await client.payments.spent(), { XNO: amountOf('XNO', price), USDC: '0' })
  const { jws } = payment!.receipt!
  const [head, body, signature] = jws.split('.')
  const forged = Buffer.from(body!, 'base64url').toString().replace(wallet.address, 'nano_1')
  const changed = await client.payments.verifyReceipt(
    `${head}.${Buffer.from(forged).toString('base64url')}.${signature}`,
  )
  deepEqual([changed.isVerified, changed.problem], [false, 'The signature is wrong.'])
  equal((await client.payments.verifyReceipt('nonsense')).isVerified, false)
  await market.later(10)
})

test('a wallet that bought a post, with a store that knows nothing of it, reads it and pays nothing, also later', async (t) => {
  const market = await openNano(t)
  const { postId, balance } = market
  equal((await market.clientWith().client.posts.buy(postId)).payment?.isNew, true)
  const before = await balance()
  const { client } = market.clientWith({ spendingLimit: { perPayment: { XNO: '0.3' } } })
  // The second time the offer of the first has expired.
  for (const seconds of [0, 400]) {
    await market.world.advance(seconds)
    const { post, payment } = await client.posts.buy(postId)
    deepEqual([post.paidContentMarkdown, payment], ['the-secret-part', undefined])
  }
  equal(await balance(), before)
  deepEqual(await client.payments.open(), [])
  await market.later(10)
})

test('a service that replies no more is given up when the time is over, and the payment is kept', async (t) => {
  const market = await openNano(t)
  const { world, postId, balance } = market
  const reach = injectFetch(world.server, nextAddress())
  let hangs = true
  const fetch: typeof globalThis.fetch = (input, init) => {
    if (!hangs || !new Headers(init?.headers).has('payment-signature')) return reach(input, init)
    const signal = init!.signal!
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const { client } = market.clientWith({ fetch, timeoutSeconds: 3_600 })
  const before = await balance()
  await rejects(client.posts.buy(postId, { waitSeconds: 1 }), (error: unknown) => {
    ok(error instanceof PaymentUncertainError)
    match(error.message, /did not reply in time/)
    return true
  })
  hangs = false
  const { post, payment } = await client.posts.buy(postId)
  deepEqual([post.paidContentMarkdown, payment?.isNew], ['the-secret-part', false])
  equal(before - (await balance()), price)
  await market.later(10)
})

test('nothing is signed without a limit, above the limit of a payment, or above the total', async (t) => {
  const market = await openNano(t)
  const { creator, postId, nano, balance } = market
  const before = await balance()
  let signatures = 0
  const counted = {
    ...nano,
    signSend: (send: Parameters<typeof nano.signSend>[0]) => {
      signatures += 1
      return nano.signSend(send)
    },
  }
  const signers = { nano: counted }
  const overLimit = { code: 'spending-limit', status: 0 }
  await rejects(market.clientWith({ signers, spendingLimit: undefined }).client.posts.buy(postId), overLimit)
  const low = market.clientWith({ signers, spendingLimit: { perPayment: { XNO: '0.2' } } }).client
  await rejects(low.posts.buy(postId), overLimit)
  const usual = market.clientWith({ signers }).client
  await rejects(usual.posts.buy(postId, { maxPrice: { XNO: '0.1' } }), overLimit)
  await rejects(usual.posts.buy(postId, { maxPrice: { USDC: '1' } }), overLimit)
  await rejects(market.clientWith({ signers: {} }).client.posts.buy(postId), { code: 'no-way-to-pay' })
  deepEqual([signatures, await balance()], [0, before])

  // Two posts at the same time, and money for one.
  const other = await sells(creator)
  const store = memoryStore()
  const spendingLimit = { ...limits, total: { XNO: '0.4' } }
  const [one, two] = [0, 1].map(() => market.clientWith({ signers, spendingLimit, store }).client)
  const outcomes = await Promise.allSettled([one!.posts.buy(postId), two!.posts.buy(other)])
  deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  deepEqual([signatures, before - (await balance())], [1, price])
  deepEqual(await one!.payments.spent(), { XNO: '0.25', USDC: '0' })
  await market.later(10)
})

test('a signer that fails costs nothing of the limit', async (t) => {
  const market = await openNano(t)
  const failing = { address: market.nano.address, signSend: () => Promise.reject(new Error('the wallet said no')) }
  const { client } = market.clientWith({ signers: { nano: failing } })
  await rejects(client.posts.buy(market.postId), { code: 'signer-failed', message: /the wallet said no/ })
  deepEqual(await client.payments.spent(), { XNO: '0', USDC: '0' })
  deepEqual(await client.payments.open(), [])
})

test('a payment is saved before it is sent, and the same bytes are sent until the outcome is known', async (t) => {
  const market = await openNano(t)
  const { postId, balance } = market
  const before = await balance()
  const store = memoryStore()
  const first = market.clientWith({ store, retry: { attempts: 1 } })
  let savedWhenSent: string | undefined
  first.loseReplies(({ headers }) => headers.has('payment-signature'))
  first.interfere(({ headers }) => {
    if (headers.has('payment-signature'))
      savedWhenSent ??= String(store.get(`payment access ${market.world.origin} ${postId}`))
    return undefined
  })
  const failure = await first.client.posts.buy(postId, { waitSeconds: 0 }).catch((error: unknown) => error)
  ok(failure instanceof PaymentUncertainError)
  deepEqual([failure.code, failure.isUncertain], ['payment-uncertain', true])
  const header = presented(first.sent)[0]!
  equal(JSON.parse(savedWhenSent!).header, header)
  equal(JSON.parse(savedWhenSent!).state, 'sent')
  deepEqual(
    (await first.client.payments.open()).map(({ key, asset }) => [key, asset]),
    [[failure.paymentKey, 'XNO']],
  )

  // The program starts again, and the service is busy at first.
  const second = market.clientWith({ store })
  second.interfere(({ headers }, count) => (headers.has('payment-signature') && count < 2 ? busy(503) : undefined))
  const [resumed] = await second.client.payments.resume()
  equal(resumed?.outcome, 'paid')
  deepEqual(new Set(presented(second.sent)), new Set([header]))
  equal((await second.client.posts.buy(postId)).post.paidContentMarkdown, 'the-secret-part')
  deepEqual([before - (await balance()), await second.client.payments.open()], [price, []])
  deepEqual(await second.client.payments.spent(), { XNO: '0.25', USDC: '0' })
  await market.later(10)
})

test('a payment that is not final yet is sent again as the service asks, and is uncertain when the time is over', async (t) => {
  const market = await openNano(t)
  const { postId, balance } = market
  const before = await balance()
  const { client, sent, interfere } = market.clientWith()
  const body = { x402Version: 2, error: 'settlement_pending', resource: {}, accepts: [], offers: [] }
  const pending = () => Response.json(body, { status: 402, headers: { 'retry-after': '0' } })
  interfere(({ headers }) => (headers.has('payment-signature') ? pending() : undefined))
  await rejects(client.posts.buy(postId, { waitSeconds: 0 }), { name: 'PaymentUncertainError' })
  const abort = new AbortController()
  interfere(({ headers }) => {
    if (!headers.has('payment-signature')) return undefined
    abort.abort()
    return pending()
  })
  await rejects(client.posts.buy(postId, { signal: abort.signal }), { name: 'PaymentUncertainError' })
  equal(await balance(), before)
  sent.length = 0
  let replies = 0
  interfere(({ headers }) => {
    if (!headers.has('payment-signature')) return undefined
    replies += 1
    return replies <= 3 ? pending() : undefined
  })
  const { post } = await client.posts.buy(postId)
  equal(post.paidContentMarkdown, 'the-secret-part')
  deepEqual([presented(sent).length, new Set(presented(sent)).size, before - (await balance())], [4, 1, price])
  await market.later(10)
})

test('a refused payment is refused with its reason, and still counts', async (t) => {
  const market = await openNano(t)
  const { nano, postId } = market
  const forging = {
    address: nano.address,
    signSend: async (send: Parameters<typeof nano.signSend>[0]) => ({
      ...(await nano.signSend(send)),
      signature: '00'.repeat(64),
    }),
  }
  const { client } = market.clientWith({ signers: { nano: forging } })
  await rejects(client.posts.buy(postId), (error: Error & { code?: string; status?: number }) => {
    deepEqual([error.code, error.status], ['payment-refused', 402])
    match(error.message, /invalid_exact_nano_payload_signature/)
    return true
  })
  deepEqual(await client.payments.open(), [])
  deepEqual(await client.payments.spent(), { XNO: '0.25', USDC: '0' })
})

test('a tip with Nano is sent once for its key', async (t) => {
  const market = await openNano(t)
  const { postId, balance } = market
  const before = await balance()
  const { client } = market.clientWith()
  const { tip, payment } = await client.tips.send({ postId }, { amount: '0.01', asset: 'XNO' }, { key: 'thanks' })
  deepEqual([tip.amount_raw, payment?.amount], [`1${'0'.repeat(28)}`, '0.01'])
  equal((await client.tips.send({ postId }, { amount: '0.01', asset: 'XNO' }, { key: 'thanks' })).tip.id, tip.id)
  equal(before - (await balance()), 10n ** 28n)
  await market.later(10)
})

test('USDC: bought with an account of viem, kept within the limits, one tip', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, creator } = market
  const wallet = await market.fundedWallet()
  const usdc = privateKeyToAccount(wallet.privateKey)
  const store = memoryStore()
  const spendingLimit = { perPayment: { USDC: '0.30' }, total: { USDC: '0.50' }, periodSeconds: 86_400 }
  const { client, sent } = sdkFor(world, { signers: { usdc }, spendingLimit, store })
  const { post, payment } = await client.posts.buy(postId)
  equal(post.paidContentMarkdown, 'the-secret-part')
  deepEqual([payment?.amount, payment?.receipt?.isVerified, payment?.payer], ['0.25', true, wallet.address])
  equal(await market.balance(market.payTo), usdcPrice)
  const { tip } = await client.tips.send({ postId }, { amount: '0.10', asset: 'USDC' })
  equal(tip.amount_atomic, '100000')
  const other = await sellsForUsdc(creator)
  const signed = presented(sent).length
  await rejects(client.posts.buy(other), { code: 'spending-limit' })
  equal(presented(sent).length, signed)
  const dear = await sellsForUsdc(creator, { priceAtomic: '310000' })
  await rejects(client.posts.buy(dear), { code: 'spending-limit' })
  deepEqual(await client.payments.spent(), { XNO: '0', USDC: '0.35' })
  equal(await market.balance(wallet.address), 10_000_000n - usdcPrice - 100_000n)
  // Another token, however cheap, is not paid.
  const strange = sdkFor(world, { signers: { usdc }, spendingLimit, usdcAddress: wallet.address })
  await rejects(strange.client.posts.buy(other), { code: 'no-way-to-pay' })
  await market.later(10)
})
