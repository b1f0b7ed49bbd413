import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { claimCheckout, createTipCheckout } from '@pennypost/contract/checkout'
import { addComment, deleteComment } from '@pennypost/contract/comments'
import { listCommentSupporters, listTipActivities } from '@pennypost/contract/tip-lists'
import { getTip } from '@pennypost/contract/tips'
import { isClean, type Market, openMarket, xno } from '../../payments/market.fixture.ts'
import type { Reader } from '../../test/people.ts'
import type { Person } from '../../test/person.ts'
import { checkoutOf, sendsFrom } from './nano-checkout.fixture.ts'

const starts = (person: Person, body: object, idempotencyKey: string = randomUUID()) =>
  person.sends(createTipCheckout, { body, idempotencyKey })

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

async function comments({ postId }: Market, { owner }: Reader): Promise<string> {
  const comment = { params: { postId }, body: { content: 'Well said' }, idempotencyKey: randomUUID() }
  return (await owner.calls(addComment, comment)).body.id
}

test('a guest tips a post: the holder of the credential sees it arrive, and the author has it all', async (t) => {
  const market = await openMarket(t)
  const { world, postId, earnings, pays, checkAddresses } = market
  const body = { postId, amountRaw: String(xno), message: 'Thanks' }
  const reply = await starts(world.stranger(), body)
  equal(reply.status, 201, JSON.stringify(reply.body))
  const checkout = checkoutOf(world, reply.body)
  const { kind, status, quote } = reply.body.checkout
  deepEqual([kind, status, quote.amountRaw], ['tip', 'open', String(xno)])
  equal(reply.body.statusUrl, `${world.origin}/api/v1/checkout/sessions/${checkout.id}`)
  await pays(checkout.address, xno)
  await checkAddresses()
  const read = await checkout.reads()
  deepEqual([read.checkout.status, read.receipt.success, read.session], ['paid', true, null])
  equal(await earnings.receives(), xno)
  const { body: activities } = await world.stranger().calls(listTipActivities, { params: { postId } })
  deepEqual(
    activities.map((each: { amountReceivedRaw: string; message: string }) => [each.amountReceivedRaw, each.message]),
    [[String(xno), 'Thanks']],
  )
  equal(
    (await world.services.pool.query('SELECT FROM accounts WHERE is_anonymous')).rowCount,
    0,
    'a tip makes no account',
  )
  const reader = await world.reader()
  const { checkoutCredential } = reply.body
  const claimed = await reader.owner.calls(claimCheckout, { params: checkout.params, body: { checkoutCredential } })
  deepEqual(outcome(claimed), [404, 'checkout-not-found'])
  await isClean(market)
})

test('guests tip a comment; a tip of two wallets is that of the one that gave more', async (t) => {
  const market = await openMarket(t)
  const { world, creator, postId, network, wallet, pays, checkAddresses } = market
  const commentId = await comments(market, creator)
  const checkout = checkoutOf(world, (await starts(world.stranger(), { commentId, amount: 0.5 })).body)
  const friend = await network.fundedWallet(xno)
  await sendsFrom(market, friend, checkout.address, xno / 8n)
  await pays(checkout.address, (3n * xno) / 8n)
  await checkAddresses()
  equal((await checkout.reads()).checkout.status, 'paid')
  const { rows } = await world.services.pool.query('SELECT wallet, tip_total_raw FROM comment_supporters')
  deepEqual(rows, [{ wallet: wallet.address, tip_total_raw: String(xno / 2n) }])
  const { body } = await world.stranger().calls(listCommentSupporters, { params: { postId, commentId } })
  equal(body.length, 1)
  await isClean(market)
})

test('a tip checkout of an account is a tip of that account', async (t) => {
  const market = await openMarket(t)
  const { world, buyer, creator, postId } = market
  const started = await starts(buyer.owner, { postId, amount: 1 })
  equal(started.status, 201)
  const params = { sessionId: started.body.checkout.id }
  equal((await buyer.owner.calls(getTip, { params })).status, 200)
  deepEqual(outcome(await starts(creator.owner, { postId, amount: 1 })), [409, 'own-content'])
  equal((await (await world.reader()).owner.calls(getTip, { params })).status, 404)
})

test('a tip needs one target and one amount, an author who can be paid, and a new key', async (t) => {
  const market = await openMarket(t)
  const { world, creator, postId } = market
  const guest = world.stranger()
  const commentId = await comments(market, creator)
  const amountRaw = String(xno)
  for (const body of [
    { amountRaw },
    { postId, commentId, amountRaw },
    { postId },
    { postId, amountRaw, amount: 1 },
    { postId, amountRaw: '1' },
    { postId, amount: 0.3 },
    { postId, amountRaw, message: 'm'.repeat(281) },
    { postId, amountRaw, asset: 'XNO' },
  ])
    deepEqual(outcome(await starts(guest, body)), [422, 'validation'], JSON.stringify(body))
  deepEqual(outcome(await starts(guest, { postId: randomUUID(), amountRaw })), [404, 'post-not-found'])
  deepEqual(outcome(await starts(guest, { commentId: randomUUID(), amountRaw })), [404, 'comment-not-found'])
  const deleted = await comments(market, creator)
  await creator.owner.calls(deleteComment, { params: { commentId: deleted } })
  deepEqual(outcome(await starts(guest, { commentId: deleted, amountRaw })), [404, 'comment-not-found'])
  const poor = await comments(market, await world.reader())
  deepEqual(outcome(await starts(guest, { commentId: poor, amountRaw })), [409, 'tipping-unavailable'])
  const key = randomUUID()
  const first = await starts(guest, { postId, amountRaw }, key)
  const again = await starts(world.stranger(), { postId, amountRaw }, key)
  deepEqual([again.status, again.body.payment], [200, first.body.payment])
  deepEqual(outcome(await starts(guest, { postId, amountRaw: String(2n * xno) }, key)), [409, 'idempotency-conflict'])
})
