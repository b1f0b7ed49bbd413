import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { createCheckout, settleCheckout } from '@pennypost/contract/checkout'
import { createGiftLink } from '@pennypost/contract/gift-links'
import { readToken, writeToken } from '../../payments/x402/x402-offer.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { payWith } from '../../test/base-wallet.ts'
import type { Person } from '../../test/person.ts'
import { createWorld } from '../../test/world.ts'
import { presents, quoteFor, signature } from './buying.fixture.ts'
import { nonceEnd, writeNonce } from './siwx-challenge.ts'
import { buys, openUsdcMarket, sellsForUsdc } from './usdc-market.fixture.ts'

const skip = !hasAnvil

async function begins(person: Person, postId: string) {
  const reply = await person.calls(createCheckout, { idempotencyKey: randomUUID(), body: { postId, asset: 'USDC' } })
  equal(reply.status, 201)
  const { checkout, paymentRequired, checkoutCredential } = reply.body
  return { id: checkout.id as string, accepted: paymentRequired.accepts[0], credential: checkoutCredential as string }
}

test('a quote is good where it was given: not at another Post, nor in a checkout, nor out of one', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, creator } = market
  const other = await sellsForUsdc(creator)
  const person = world.stranger()
  const wallet = await market.fundedWallet()
  const ofPost = await quoteFor(person, postId, 'eip155:8453')
  const ofOther = await quoteFor(person, other, 'eip155:8453')
  const [first, second] = [await begins(person, postId), await begins(person, postId)]
  const { payload } = await payWith(wallet, ofPost)
  const settles = async (checkout: typeof first, accepted: object) => {
    const headers = { ...signature(accepted, payload), authorization: `Bearer ${checkout.credential}` }
    return person.calls(settleCheckout, { params: { checkoutId: checkout.id }, headers })
  }
  const mixed = { ...ofPost, extra: { ...ofPost.extra, quote: ofOther.extra.quote } }
  for (const reply of [
    await presents(person, postId, ofOther, payload),
    await presents(person, postId, mixed, payload),
    await presents(person, postId, first.accepted, payload),
    await presents(person, other, ofPost, payload),
    await settles(first, ofPost),
    await settles(first, second.accepted),
  ])
    deepEqual([reply.status, reply.body.error], [402, 'no_matching_payment_requirements'])
  equal(await market.balance(market.payTo), 0n)
  // All the while it was good: where it belongs it buys.
  equal((await presents(person, postId, ofPost, payload)).status, 200)
  await market.later(10)
})

test('a quote and a challenge are good for 300 seconds to the last millisecond', async (t) => {
  const { secrets } = (await createWorld(t)).services
  const terms = { purpose: 'access', postId: randomUUID(), checkoutId: undefined } as const
  const shown = { network: 'nano:mainnet', asset: 'XNO', amount: '1', payTo: undefined }
  for (const milliseconds of [0, 1, 500, 999]) {
    const issuedAt = new Date(Date.UTC(2026, 0, 1, 0, 0, 0, milliseconds))
    const { token } = writeToken(
      secrets,
      { ...terms, ...shown },
      {
        issuedAt,
        nonce: '0'.repeat(32),
        commissionBps: 0,
        recipient: undefined,
      },
    )
    ok(readToken(secrets, { ...terms, ...shown }, token)!.issuedAt >= issuedAt, String(milliseconds))
    const lastMoment = new Date(issuedAt.getTime() + 299_999)
    ok(nonceEnd(secrets, 'x', writeNonce(secrets, 'x', issuedAt), lastMoment), String(milliseconds))
  }
})

test('no cache keeps an answer, whatever it is', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, creator } = market
  const person = world.stranger()
  const params = { postId }
  const gift = (await creator.owner.calls(createGiftLink, { params })).body.giftLink.token
  const bought = await buys(market, person, await market.fundedWallet())
  const malformed = { 'payment-signature': 'x' }
  const answers = [
    bought.reply,
    await presents(person, postId, bought.accepted, bought.payload),
    await person.calls(getAccess, { params }),
    await person.calls(getAccess, { params, query: { gift } }),
    await creator.owner.calls(getAccess, { params }),
    await person.calls(getAccess, { params: { postId: randomUUID() } }),
    await person.calls(getAccess, { params, headers: malformed }),
  ]
  deepEqual(
    answers.map(({ status, headers }) => [status, headers.get('cache-control')]),
    [200, 200, 402, 200, 200, 404, 400].map((status) => [status, 'private, no-store']),
  )
  await market.later(10)
})
