import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { getAccess, getAsset } from '@pennypost/contract/access'
import { createGiftLink } from '@pennypost/contract/gift-links'
import { getPost, updatePost } from '@pennypost/contract/posts'
import { clearPayoutAddress, saveBasePayoutAddress } from '@pennypost/contract/profiles'
import { withdrawPost } from '@pennypost/contract/publishing'
import { tipThroughX402 } from '@pennypost/contract/x402-tips'
import { isClean, type Market, openMarket, price, quotes, xno } from '../../payments/market.fixture.ts'
import { smallZip, uploadZip } from '../../uploads/attachments.fixture.ts'
import { jsonOf, presents, quoteFor, signature } from './buying.fixture.ts'
import { blockFor, frontierOf, order } from './nano-orders.fixture.ts'

// Money for a quote, presented by a reader who does not need it: it buys, or it goes back; we never keep it for nothing.

/** A quote whose money is on the chain. */
async function sends(market: Market, amount = price) {
  const accepted = await quoteFor(market.world.stranger(), market.postId)
  return { accepted, payload: { blockHash: await market.pays(accepted.payTo, amount) } }
}

/** All that waits at the buyer's wallet. */
const returned = async ({ network, wallet }: Market) =>
  (await network.client.receivable(wallet.address, 1n)).map(({ amount }) => amount)

const earned = async ({ network, earnings }: Market) =>
  (await network.client.receivable(earnings.address, 1n)).map(({ amount }) => amount)

async function becomesFree({ creator, postId }: Market): Promise<void> {
  const { body: post } = await creator.publisher.calls(getPost, { params: { postId } })
  const { status } = await creator.publisher.calls(updatePost, {
    params: { postId },
    headers: { 'x-post-revision': post.updatedAt },
    body: { enablePaywall: false },
  })
  equal(status, 200)
}

const watchedAddresses = async ({ world }: Market): Promise<number> =>
  (await world.services.pool.query('SELECT count(*)::int AS n FROM nano_addresses')).rows[0].n

test('a quote stays good though its Post became free: what was sent buys, what was not sent stays', async (t) => {
  const market = await openMarket(t)
  const { world, postId } = market
  const unsent = await order(market, world.stranger())
  await becomesFree(market)
  const before = await frontierOf(market)
  const free = await presents(world.stranger(), postId, unsent.accepted, unsent.payload)
  deepEqual([free.status, free.body.access, free.headers.get('payment-response')], [200, 'free', null])
  equal(await frontierOf(market), before, 'nobody is charged for what is free')
  equal(await watchedAddresses(market), 0)

  const payload = { blockHash: await market.pays(unsent.accepted.payTo, price) }
  const bought = await presents(world.stranger(), postId, unsent.accepted, payload)
  deepEqual([bought.status, bought.body.access], [200, 'purchased'])
  equal(jsonOf(bought, 'payment-response').transaction, payload.blockHash)
  const again = await presents(world.stranger(), postId, unsent.accepted, payload)
  deepEqual([again.body.access, jsonOf(again, 'payment-response')], ['purchased', jsonOf(bought, 'payment-response')])
  await market.later(10)
  deepEqual([await returned(market), (await earned(market)).length], [[], 1])
  await isClean(market)
})

test('what is shown for a free Post after its time, or in the wrong amount, goes back', async (t) => {
  const market = await openMarket(t)
  const { world, postId } = market
  const [late, wrong] = [await sends(market), await sends(market, price * 2n)]
  await becomesFree(market)
  await world.advance(3600 + 310)
  for (const { accepted, payload } of [late, wrong]) {
    const reply = await presents(world.stranger(), postId, accepted, payload)
    deepEqual([reply.status, reply.body.access], [200, 'free'])
  }
  await market.later(10)
  deepEqual(new Set(await returned(market)), new Set([price, price * 2n]))
  deepEqual(await earned(market), [])
  await isClean(market)
})

test('a reader with a gift link who sent money owns the post; a block that was not sent is not sent', async (t) => {
  const market = await openMarket(t)
  const { world, postId, creator } = market
  const { giftLink } = (await creator.owner.calls(createGiftLink, { params: { postId } })).body
  const query = { gift: giftLink.token }
  const unsent = await order(market, world.stranger())
  const before = await frontierOf(market)
  equal((await presents(world.stranger(), postId, unsent.accepted, unsent.payload, query)).body.access, 'gift')
  equal(await frontierOf(market), before)
  const sent = await sends(market)
  equal((await presents(world.stranger(), postId, sent.accepted, sent.payload, query)).body.access, 'purchased')
  await market.later(10)
  deepEqual([await returned(market), (await earned(market)).length], [[], 1])
  await isClean(market)
})

test('the author and those who bought the Post get back what they sent for it, and send nothing new', async (t) => {
  const market = await openMarket(t)
  const { postId, creator, buyer } = market
  const { id, address } = await quotes(buyer, postId)
  await market.pays(address, price)
  await market.checkAddresses()
  equal((await buyer.owner.calls(getAccess, { params: { postId } })).body.access, 'purchased', id)
  for (const [person, access] of [
    [creator.owner, 'owner'],
    [buyer.owner, 'purchased'],
  ] as const) {
    const unsent = await order(market, market.world.stranger())
    const before = await frontierOf(market)
    equal((await presents(person, postId, unsent.accepted, unsent.payload)).body.access, access)
    equal(await frontierOf(market), before)
    const { accepted, payload } = await sends(market)
    const reply = await presents(person, postId, accepted, payload)
    deepEqual([reply.status, reply.body.access, reply.headers.get('payment-response')], [200, access, null])
  }
  await market.later(10)
  deepEqual(await returned(market), [price, price])
  await isClean(market)
})

test('a tip that was sent before its author took the address away is theirs, and waits for one', async (t) => {
  const market = await openMarket(t)
  const { world, postId, creator } = market
  const stranger = world.stranger()
  const input = { params: { postId }, query: { amount_raw: String(xno) } }
  const quoteTip = async () => (await stranger.calls(tipThroughX402, input)).body.accepts[0]
  const [sent, unsent] = [await quoteTip(), await quoteTip()]
  const blockHash = await market.pays(sent.payTo, xno)
  const block = await blockFor(market, unsent.payTo, xno)
  // An author with published posts keeps one address.
  const payoutAddress = '0x52908400098527886E0F7030069857D2E4169EE7'
  await creator.owner.calls(saveBasePayoutAddress, { body: { payoutAddress } })
  equal((await creator.owner.calls(clearPayoutAddress, {})).status, 200)
  const before = await frontierOf(market)
  const refused = await stranger.calls(tipThroughX402, { ...input, headers: signature(unsent, { block }) })
  deepEqual([refused.status, refused.body.data.code], [409, 'tipping_unavailable'])
  equal(await frontierOf(market), before)
  const tipped = await stranger.calls(tipThroughX402, { ...input, headers: signature(sent, { blockHash }) })
  deepEqual([tipped.status, tipped.body.tip?.status], [200, 'received'])
  await market.later(10)
  const { rows } = await world.services.pool.query('SELECT role, state, amount FROM payouts')
  deepEqual(rows, [{ role: 'creator', state: 'blocked', amount: String(xno) }])
  await isClean(market)
})

test('authors who tip themselves are refused, and what they sent goes back', async (t) => {
  const market = await openMarket(t)
  const { world, postId, creator } = market
  const input = { params: { postId }, query: { amount_raw: String(xno) } }
  const [accepted] = (await world.stranger().calls(tipThroughX402, input)).body.accepts
  const blockHash = await market.pays(accepted.payTo, xno)
  const reply = await creator.owner.calls(tipThroughX402, { ...input, headers: signature(accepted, { blockHash }) })
  deepEqual([reply.status, reply.body.data.code], [409, 'own_content'])
  await market.later(10)
  deepEqual(await returned(market), [xno])
  await isClean(market)
})

test('money that is shown for a ZIP, by who may have it or after its withdrawal, goes back too', async (t) => {
  const market = await openMarket(t)
  const { world, postId, creator } = market
  const { body } = await uploadZip(creator.publisher, postId, smallZip())
  await world.runJobs()
  const params = { assetId: body.attachment.id }
  const [own, late] = [await sends(market), await sends(market)]
  const asAuthor = await creator.owner.calls(getAsset, { params, headers: signature(own.accepted, own.payload) })
  deepEqual([asAuthor.status, asAuthor.headers.get('payment-response')], [200, null])
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  const headers = signature(late.accepted, late.payload)
  equal((await world.stranger().calls(getAsset, { params, headers })).status, 404)
  await market.later(10)
  deepEqual(await returned(market), [price, price])
  await isClean(market)
})

test('a settled proof is honoured again by the ZIP routes too, with the same receipt', async (t) => {
  const market = await openMarket(t)
  const { world, postId, creator } = market
  const { body } = await uploadZip(creator.publisher, postId, smallZip())
  await world.runJobs()
  const stranger = world.stranger()
  const { accepted, payload } = await order(market, stranger)
  const bought = await presents(stranger, postId, accepted, payload)
  equal(bought.status, 200)
  const params = { assetId: body.attachment.id }
  const zip = await stranger.calls(getAsset, { params, headers: signature(accepted, payload) })
  deepEqual([zip.status, jsonOf(zip, 'payment-response')], [200, jsonOf(bought, 'payment-response')])
  equal(zip.headers.get('content-length'), String(smallZip().length))
  await market.later(10)
})
