import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createCheckout, createTipCheckout } from '@pennypost/contract/checkout'
import { addComment, deleteComment } from '@pennypost/contract/comments'
import { maxPendingQuotes } from '@pennypost/contract/order-fields'
import { clearPayoutAddress, saveBasePayoutAddress, updateProfile } from '@pennypost/contract/profiles'
import { withdrawPost } from '@pennypost/contract/publishing'
import { cancelPurchase, claimPurchase, createPurchase, getPurchase } from '@pennypost/contract/purchases'
import { getTip, minTipRaw, tipComment, tipCommentOfPost, tipPost } from '@pennypost/contract/tips'
import type { Reader } from '../test/people.ts'
import type { World } from '../test/world.ts'
import { asksToBuy, openMarket, price, quotes, sells, tips, xno } from './market.fixture.ts'

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

test('what cannot be bought is refused, each for its own reason, and leaves nothing behind', async (t) => {
  const market = await openMarket(t)
  const { buyer, creator, postId, world } = market
  deepEqual(outcome(await asksToBuy(creator, postId)), [409, 'own-post'])
  deepEqual(outcome(await asksToBuy(buyer, randomUUID())), [404, 'post-not-found'])
  const free = await sells(creator, { enablePaywall: false })
  deepEqual(outcome(await asksToBuy(buyer, free)), [409, 'post-is-free'])
  const gone = await sells(creator)
  await creator.publisher.calls(withdrawPost, { params: { postId: gone } })
  deepEqual(outcome(await asksToBuy(buyer, gone)), [404, 'post-not-found'])
  await creator.owner.calls(saveBasePayoutAddress, {
    body: { payoutAddress: '0x52908400098527886E0F7030069857D2E4169EE7' },
  })
  await creator.owner.calls(clearPayoutAddress, {})
  deepEqual(outcome(await asksToBuy(buyer, postId)), [409, 'not-sold-in-nano'])
  deepEqual(outcome(await tipsWith(buyer, postId, { amountRaw: String(price) })), [409, 'tipping-unavailable'])
  const { rowCount } = await world.services.pool.query('SELECT FROM nano_addresses')
  equal(rowCount, 0)
})

test('what was bought is not sold again', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId } = market
  const { address } = await quotes(buyer, postId)
  await market.pays(address, price)
  await market.checkAddresses()
  deepEqual(outcome(await asksToBuy(buyer, postId)), [409, 'already-purchased'])
})

test('the same key gets the same purchase, also at once; with another Post it is refused; it is its owner’s alone', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, creator, world } = market
  const other = await sells(creator)
  const key = randomUUID()
  const replies = await Promise.all([1, 2, 3, 4, 5].map(() => asksToBuy(buyer, postId, key)))
  deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 200, 200, 201])
  deepEqual(replies.map(({ body }) => body.replayed).sort(), [false, true, true, true, true])
  equal(new Set(replies.map(({ body }) => body.purchase.id)).size, 1)
  deepEqual(outcome(await asksToBuy(buyer, other, key)), [409, 'idempotency-conflict'])
  const stranger = await world.reader()
  const theirs = await asksToBuy(stranger, postId, key)
  equal(theirs.status, 201)
  notEqual(theirs.body.purchase.id, replies[0]!.body.purchase.id)
  await market.pays(replies[0]!.body.ephemeral_address.ephemeral_address, price)
  await market.checkAddresses()
  const late = await asksToBuy(buyer, postId, key)
  deepEqual([late.status, late.body.purchase.status, late.body.replayed], [200, 'paid', true])
  const { rowCount } = await world.services.pool.query('SELECT FROM orders')
  equal(rowCount, 2)
})

test('a refused quote does not use up its key', async (t) => {
  const { buyer, creator } = await openMarket(t)
  const free = await sells(creator, { enablePaywall: false })
  const paid = await sells(creator)
  const key = randomUUID()
  equal((await asksToBuy(buyer, free, key)).status, 409)
  equal((await asksToBuy(buyer, paid, key)).status, 201)
})

test('a key is needed and has its form; bodies are exact', async (t) => {
  const { buyer, postId } = await openMarket(t)
  const buys = (input: object) => buyer.owner.sends(createPurchase, { body: { postId }, idempotencyKey: 'k', ...input })
  deepEqual(outcome(await buys({ idempotencyKey: undefined })), [400, 'idempotency-key-required'])
  for (const idempotencyKey of ['a b', 'x'.repeat(256)])
    deepEqual(outcome(await buys({ idempotencyKey })), [400, 'idempotency-key-invalid'])
  for (const body of [{}, { postId: 'x' }, { postId, amount: '1' }, { postId: null }])
    deepEqual(outcome(await buys({ body })), [422, 'validation'])
})

test('someone else’s purchase reads like one that does not exist; so does a tip asked for as a purchase', async (t) => {
  const market = await openMarket(t)
  const { buyer, postId, world } = market
  const { id } = await quotes(buyer, postId)
  const tip = await tips(buyer, postId, xno)
  const stranger = await world.reader()
  for (const purchaseId of [id, tip.id, randomUUID()]) {
    const person = purchaseId === tip.id ? buyer : stranger
    for (const endpoint of [getPurchase, claimPurchase, cancelPurchase])
      deepEqual(outcome(await person.owner.sends(endpoint, { params: { purchaseId } })), [404, 'purchase-not-found'])
  }
  for (const [person, orderId] of [
    [stranger, tip.id],
    [buyer, id],
    [buyer, randomUUID()],
  ] as const)
    deepEqual(outcome(await person.owner.calls(getTip, { params: { sessionId: orderId } })), [404, 'tip-not-found'])
  const streamed = await stranger.owner.calls(getPurchase, {
    params: { purchaseId: id },
    headers: { accept: 'text/event-stream' },
  })
  deepEqual(outcome(streamed), [404, 'purchase-not-found'])
})

const tipsWith = (person: Reader, postId: string, body: unknown, idempotencyKey: string = randomUUID()) =>
  person.owner.sends(tipPost, { params: { postId }, body, idempotencyKey })

test('a tip is at least 10^27 raw, or one of the author’s amounts, with a short message', async (t) => {
  const { buyer, creator, postId } = await openMarket(t)
  const refused = async (body: unknown) =>
    deepEqual(outcome(await tipsWith(buyer, postId, body)), [422, 'validation'], JSON.stringify(body))
  const taken = async (body: unknown, raw: bigint) => {
    const reply = await tipsWith(buyer, postId, body)
    deepEqual([reply.status, reply.body.session?.amount_raw], [201, String(raw)], JSON.stringify(body))
  }
  await taken({ amountRaw: String(minTipRaw) }, minTipRaw)
  await taken({ amountRaw: String(2n ** 128n - 1n) }, 2n ** 128n - 1n)
  await taken({ amount: 0.25 }, xno / 4n)
  await taken({ amount: '0.5' }, xno / 2n)
  await taken({ amount: 1, message: 'm'.repeat(280) }, xno)
  for (const amountRaw of [String(minTipRaw - 1n), '0', '-1', '1e30', '01', String(2n ** 128n), 5, null])
    await refused({ amountRaw })
  for (const amount of [0.3, '0.3', 'x', 1e-7, null, '']) await refused({ amount })
  await refused({})
  await refused({ amount: 1, amountRaw: String(xno) })
  await refused({ amount: 1, message: 'm'.repeat(281) })
  await refused({ amount: 1, note: 'x' })
  await creator.publisher.calls(updateProfile, { body: { tipping: { buttonLabel: 'Thanks', amounts: [0.001, 2, 3] } } })
  await refused({ amount: 0.25 })
  await taken({ amount: 0.001 }, xno / 1000n)
})

test('tips: not to oneself, not without an address, not to what is not there; keys hold as with purchases', async (t) => {
  const market = await openMarket(t)
  const { buyer, creator, postId, world } = market
  const body = { amountRaw: String(xno) }
  deepEqual(outcome(await tipsWith(creator, postId, body)), [409, 'own-content'])
  deepEqual(outcome(await tipsWith(buyer, randomUUID(), body)), [404, 'post-not-found'])
  const key = randomUUID()
  const first = await tipsWith(buyer, postId, body, key)
  const again = await tipsWith(buyer, postId, body, key)
  deepEqual([first.status, again.status, again.body.replayed], [201, 200, true])
  equal(first.body.session.id, again.body.session.id)
  for (const changed of [{ amountRaw: String(2n * xno) }, { ...body, message: 'x' }])
    deepEqual(outcome(await tipsWith(buyer, postId, changed, key)), [409, 'idempotency-conflict'])

  const said = async (person: Reader) =>
    (
      await person.owner.calls(addComment, {
        params: { postId },
        body: { content: 'Well' },
        idempotencyKey: randomUUID(),
      })
    ).body.id as string
  const [mine, theirs, deleted] = [await said(buyer), await said(creator), await said(creator)]
  await creator.owner.calls(deleteComment, { params: { commentId: deleted } })
  const tipped = (commentId: string, idempotencyKey: string = randomUUID()) =>
    buyer.owner.sends(tipComment, { params: { commentId }, body, idempotencyKey })
  deepEqual(outcome(await tipped(mine)), [409, 'own-content'])
  deepEqual(outcome(await tipped(deleted)), [404, 'comment-not-found'])
  deepEqual(outcome(await tipped(randomUUID())), [404, 'comment-not-found'])
  const commentKey = randomUUID()
  const made = await tipped(theirs, commentKey)
  deepEqual([made.status, made.body.session.comment_id, made.body.session.post_id], [201, theirs, postId])
  const under = (under: string) =>
    buyer.owner.sends(tipCommentOfPost, {
      params: { postId: under, commentId: theirs },
      body,
      idempotencyKey: under === postId ? commentKey : randomUUID(),
    })
  const same = await under(postId)
  deepEqual([same.status, same.body.session.id], [200, made.body.session.id])
  deepEqual(outcome(await under(await sells(creator))), [404, 'comment-not-found'])
  const poor = await said(await world.reader())
  deepEqual(outcome(await tipped(poor)), [409, 'tipping-unavailable'])
  const tippedUnderPost = (commentId: string) =>
    buyer.owner.sends(tipCommentOfPost, { params: { postId, commentId }, body, idempotencyKey: randomUUID() })
  deepEqual(outcome(await tippedUnderPost(mine)), [409, 'own-content'])
  deepEqual(outcome(await tippedUnderPost(poor)), [409, 'tipping-unavailable'])
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  deepEqual(outcome(await tipsWith(buyer, postId, body)), [404, 'post-not-found'])
  deepEqual(outcome(await tipped(theirs)), [404, 'comment-not-found'])
})

test('the number of open quotes of an account is limited, purchases and tips together; closing one makes room', async (t) => {
  const { world, creator, buyer, postId, passes } = await openMarket(t, { isBlind: true })
  const said = await creator.owner.calls(addComment, {
    params: { postId },
    body: { content: 'Well' },
    idempotencyKey: randomUUID(),
  })
  const { id } = await quotes(buyer, postId)
  await copyQuote(world, id, maxPendingQuotes - 3)
  const replies = await Promise.all([1, 2, 3, 4, 5].map(() => asksToBuy(buyer, postId)))
  const [full, made] = [[429, 'too-many-quotes'], replies.filter(({ status }) => status === 201)]
  deepEqual([made.length, replies.filter(({ status }) => status !== 201).map(outcome)], [2, [full, full, full]])
  const tip = { params: { postId }, body: { amountRaw: String(xno) }, idempotencyKey: randomUUID() }
  deepEqual(outcome(await buyer.owner.calls(tipPost, tip)), full)
  for (const endpoint of [tipComment, tipCommentOfPost]) {
    const params = { ...(endpoint === tipCommentOfPost && { postId }), commentId: said.body.id }
    deepEqual(outcome(await buyer.owner.sends(endpoint, { ...tip, params })), full)
  }
  for (const [endpoint, body] of [
    [createCheckout, { postId, asset: 'XNO' }],
    [createTipCheckout, { postId, amountRaw: String(xno) }],
  ] as const)
    deepEqual(outcome(await buyer.owner.sends(endpoint, { body, idempotencyKey: randomUUID() })), full)
  for (const { status, headers } of replies) {
    const seconds = Number(headers.get('retry-after'))
    ok(status === 201 || (seconds > 3500 && seconds <= 3600), 'until the first of them is over')
  }
  // Nobody else is held up.
  equal((await asksToBuy(await world.reader(), postId)).status, 201)
  await buyer.owner.calls(cancelPurchase, { params: { purchaseId: id } })
  equal((await buyer.owner.calls(tipPost, tip)).status, 201)
  equal((await buyer.owner.calls(tipPost, tip)).status, 200)
  deepEqual(outcome(await asksToBuy(buyer, postId)), full)
  await passes(3_601)
  equal((await asksToBuy(buyer, postId)).status, 201)
})

/** More quotes like this one, each with its own address. */
const copyQuote = (world: World, id: string, count: number) =>
  world.services.pool.query(
    `WITH address AS (
       INSERT INTO nano_addresses (address, purpose, least_raw, created_at, expires_at, next_check_at)
       SELECT 'nano_copy' || n, 'order', 1, now(), now(), 'infinity' FROM generate_series(1, $2::int) n RETURNING id)
     INSERT INTO orders SELECT (jsonb_populate_record(orders,
       jsonb_build_object('id', gen_random_uuid(), 'address_id', address.id))).*
     FROM orders, address WHERE orders.id = $1`,
    [id, count],
  )
