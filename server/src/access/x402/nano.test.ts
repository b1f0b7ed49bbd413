import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { getPost, updatePost, withdrawPost } from '@pennypost/contract/posts'
import { listPurchases } from '@pennypost/contract/purchases'
import { tipThroughX402 } from '@pennypost/contract/x402-tips'
import { hashBlock, linkTo, type StateBlock, signBlock } from '@pennypost/nano/block'
import {
  isClean,
  type Market,
  type MarketOptions,
  openMarket,
  price,
  savesAddress,
  sells,
  xno,
} from '../../payments/market.fixture.ts'
import { createNanoWallet } from '../../test/nano-wallet.ts'
import { createNodeDouble, type NodeDouble } from '../../test/node-double.ts'
import type { Person } from '../../test/world.ts'
import { base64, jsonOf, presents, quoteFor, signature } from './buying.fixture.ts'

const secret = 'the-secret-part'

async function blockFor(
  market: Pick<Market, 'wallet' | 'network'>,
  payTo: string,
  amount: bigint,
): Promise<StateBlock> {
  const { wallet, network } = market
  const { balance } = (await network.client.accountInfo(wallet.address))!
  return wallet.next({ balance: balance - amount, link: linkTo(payTo) })
}

/** A quote and the block that pays it. */
async function order(market: Market, person: Person, postId = market.postId) {
  const accepted = await quoteFor(person, postId)
  const block = await blockFor(market, accepted.payTo, BigInt(accepted.amount))
  return { accepted, block, payload: { block } }
}

const frontierOf = async ({ network, wallet }: Market) => (await network.client.accountInfo(wallet.address))!.frontier

const openBehindDouble = async (t: Parameters<typeof openMarket>[0], options: MarketOptions = {}) => {
  let double: NodeDouble | undefined
  const market = await openMarket(t, {
    ...options,
    node: async (network) => {
      double = await createNodeDouble(t, network)
      return double
    },
  })
  return { market, double: double! }
}

test('a stranger pays with a signed block, reads, and reads again; the creator is paid, the books agree', async (t) => {
  const market = await openMarket(t)
  const { world, postId, earnings, network } = market
  const stranger = world.stranger()
  const { accepted, block, payload } = await order(market, stranger)
  const paid = await presents(stranger, postId, accepted, payload)
  equal(paid.status, 200, JSON.stringify(paid.body))
  deepEqual([paid.body.access, paid.body.paidContentMarkdown], ['purchased', secret])
  equal(paid.body.entitlement.source, 'x402')
  const receipt = jsonOf(paid, 'payment-response')
  const { address: payer } = market.wallet
  deepEqual(receipt, { success: true, transaction: hashBlock(block), network: 'nano:mainnet', payer })
  const again = await presents(world.stranger(), postId, accepted, payload)
  deepEqual([again.status, jsonOf(again, 'payment-response')], [200, receipt])
  equal((await stranger.calls(getAccess, { params: { postId } })).status, 402, 'without the proof it is nobody')
  await market.later(10)
  equal((await network.client.receivable(earnings.address, 1n))[0]!.amount, (price * 95n) / 100n)
  await isClean(market)
})

test('work may be left out, empty or too low: the service supplies it', async (t) => {
  const market = await openMarket(t)
  const stranger = market.world.stranger()
  for (const work of [undefined, '', null, '0000000000000000']) {
    const postId = await sells(market.creator)
    const { accepted, block } = await order(market, stranger, postId)
    const { work: _, ...workless } = block
    const paid = await presents(stranger, postId, accepted, {
      block: { ...workless, ...(work !== undefined && { work }) },
    })
    equal(paid.status, 200, `${work}: ${JSON.stringify(paid.body)}`)
  }
  await market.later(10)
  await isClean(market)
})

test('a wallet that can only send names its confirmed block; also when the quote is old by then', async (t) => {
  const market = await openMarket(t)
  const { world, postId } = market
  const stranger = world.stranger()
  const accepted = await quoteFor(stranger, postId)
  const blockHash = await market.pays(accepted.payTo, price)
  await world.advance(3000)
  const paid = await presents(stranger, postId, accepted, { blockHash: blockHash.toLowerCase() })
  deepEqual([paid.status, paid.body.access], [200, 'purchased'], JSON.stringify(paid.body))
  equal(jsonOf(paid, 'payment-response').transaction, blockHash)
  await market.later(10)
  await isClean(market)
})

test('a price is not kept for ever: what was sent is shown within an hour, or goes back', async (t) => {
  const market = await openMarket(t)
  const { world, postId, wallet, network } = market
  const stranger = world.stranger()
  const accepted = await quoteFor(stranger, postId)
  const blockHash = await market.pays(accepted.payTo, price)
  await world.advance(300 + 3602)
  const reply = await presents(stranger, postId, accepted, { blockHash })
  deepEqual([reply.status, reply.body.error], [402, 'quote_expired'])
  await market.later(10)
  equal((await network.client.receivable(wallet.address, 1n))[0]!.amount, price)
  await isClean(market)
})

test('a proof that pays less, somebody else, or is signed by nobody is refused and never published', async (t) => {
  const market = await openMarket(t)
  const { world, postId, wallet, earnings, network } = market
  const stranger = world.stranger()
  const { accepted, block } = await order(market, stranger)
  const before = await frontierOf(market)
  const { balance } = (await network.client.accountInfo(wallet.address))!
  const elsewhere = await wallet.next({ balance: balance - price, link: linkTo(earnings.address) })
  const forged = { ...block, signature: block.signature.replace(/^./, (first) => (first === '0' ? '1' : '0')) }
  const other = createNanoWallet(network)
  const wrong: [string, object][] = [
    ['1 raw less', await blockFor(market, accepted.payTo, price - 1n)],
    ['1 raw more', await blockFor(market, accepted.payTo, price + 1n)],
    ['1 raw', await blockFor(market, accepted.payTo, 1n)],
    ['link elsewhere, link_as_account right', { ...elsewhere, link_as_account: accepted.payTo }],
    ['forged', forged],
    ['of an account that does not exist', signBlock({ ...block, account: other.address }, other.secretKey)],
    ['on another frontier', signBlock({ ...block, previous: 'A'.repeat(64) }, wallet.secretKey)],
    ['no address', { ...block, account: 'nano_1' }],
    ['negative', { ...block, balance: '-1' }],
  ]
  for (const [what, given] of wrong) {
    const reply = await presents(stranger, postId, accepted, { block: given })
    equal(reply.status, 402, what)
    match(reply.body.error, /^invalid_exact_nano_payload_/, what)
    ok(jsonOf(reply, 'payment-required').accepts.length > 0, what)
    ok(!JSON.stringify(reply.body).includes(secret))
  }
  equal(await frontierOf(market), before)
  equal((await presents(stranger, postId, accepted, { block })).status, 200, 'the right one still buys')
  await market.later(10)
  await isClean(market)
})

test('a quote that was changed, or is of another Post, buys nothing', async (t) => {
  const market = await openMarket(t)
  const { world, postId } = market
  const stranger = world.stranger()
  const other = await sells(market.creator, { priceAtomic: String(price * 2n) })
  const { accepted, payload } = await order(market, stranger)
  const changed: [string, object][] = [
    ['cheaper', { ...accepted, amount: '1' }],
    ['other token', { ...accepted, extra: { quote: (await quoteFor(stranger, postId)).extra.quote } }],
    ['flipped token', { ...accepted, extra: { quote: `${accepted.extra.quote.slice(0, -2)}AA` } }],
    ['no token', { ...accepted, extra: {} }],
    ['other receiver', { ...accepted, payTo: market.wallet.address }],
    ['other asset', { ...accepted, asset: 'nano' }],
    ['longer', { ...accepted, maxTimeoutSeconds: 3000 }],
    ['nothing', {}],
  ]
  for (const [what, given] of changed) {
    const reply = await presents(stranger, postId, given, payload)
    deepEqual([reply.status, reply.body.error], [402, 'no_matching_payment_requirements'], what)
  }
  const elsewhere = await presents(stranger, other, accepted, payload)
  deepEqual([elsewhere.status, elsewhere.body.error], [402, 'no_matching_payment_requirements'])
  equal((await presents(stranger, postId, accepted, payload)).status, 200)
  equal((await presents(stranger, other, accepted, payload)).status, 402, 'settled for one Post is settled for one')
  await market.later(10)
})

test('headers that are no payment are 400', async (t) => {
  const market = await openMarket(t)
  const stranger = market.world.stranger()
  const accepted = await quoteFor(stranger, market.postId)
  const headers = [
    ...['', 'x', '{}', base64(null), base64([]), base64({}), base64({ x402Version: 1, accepted, payload: {} })],
    ...[{}, { block: 1 }, { block: {} }, { blockHash: 'x' }, { blockHash: ['a'] }].map(
      (payload) => signature(accepted, payload)['payment-signature'],
    ),
  ]
  for (const header of headers) {
    const reply = await stranger.sends(getAccess, {
      params: { postId: market.postId },
      headers: { 'payment-signature': header },
    })
    if (header === '') continue
    deepEqual([reply.status, reply.body.code], [400, 'payment-malformed'], header)
  }
})

test('a settled proof is public: without the token it was settled under it reads nothing', async (t) => {
  const market = await openMarket(t)
  const { world, postId } = market
  const buyer = world.stranger()
  const { accepted, block, payload } = await order(market, buyer)
  equal((await presents(buyer, postId, accepted, payload)).status, 200)
  const thief = world.stranger()
  const own = await quoteFor(thief, postId)
  for (const stolen of [payload, { blockHash: hashBlock(block) }]) {
    const reply = await presents(thief, postId, own, stolen)
    equal(reply.status, 402)
    equal((await presents(thief, postId, { ...accepted, extra: own.extra }, stolen)).status, 402)
    ok(!JSON.stringify(reply.body).includes(secret))
  }
  const altered = {
    block: { ...block, signature: block.signature.replace(/^./, (first) => (first === '0' ? '1' : '0')) },
  }
  equal((await presents(buyer, postId, accepted, altered)).status, 402, 'altered reads nothing')
  await market.later(10)
})

test('a quote is good for 300 seconds though the price changes, and for no longer', async (t) => {
  const market = await openMarket(t)
  const { world, postId, creator } = market
  const stranger = world.stranger()
  const { accepted, payload } = await order(market, stranger)
  const { body: post } = await creator.publisher.calls(getPost, { params: { postId } })
  const dearer = { priceAtomic: String(price * 3n) }
  await creator.publisher.calls(updatePost, {
    params: { postId },
    headers: { 'x-post-revision': post.updatedAt },
    body: dearer,
  })
  await world.advance(280)
  equal((await presents(stranger, postId, accepted, payload)).status, 200)
  const late = await order(market, stranger)
  equal(late.accepted.amount, String(price * 3n))
  await world.advance(302)
  const before = await frontierOf(market)
  const refused = await presents(stranger, postId, late.accepted, late.payload)
  equal(refused.status, 200, 'the wallet has it already and is not charged')
  const another = await sells(creator)
  const stale = await order(market, stranger, another)
  await world.advance(302)
  const tooLate = await presents(stranger, another, stale.accepted, stale.payload)
  deepEqual([tooLate.status, tooLate.body.error], [402, 'quote_expired'])
  equal(await frontierOf(market), before)
  await market.later(10)
  await isClean(market)
})

test('a sale goes to the address of the quote, though another one is saved since', async (t) => {
  const market = await openMarket(t)
  const stranger = market.world.stranger()
  const { accepted, payload } = await order(market, stranger)
  await savesAddress(market.creator, createNanoWallet(market.network).address)
  equal((await presents(stranger, market.postId, accepted, payload)).status, 200)
  await market.later(10)
  equal((await market.network.client.receivable(market.earnings.address, 1n)).length, 1)
})

test('a wallet that has the Post is not charged again, and gets back what it sent again', async (t) => {
  const market = await openMarket(t)
  const { world, postId, wallet, network } = market
  const stranger = world.stranger()
  const first = await order(market, stranger)
  equal((await presents(stranger, postId, first.accepted, first.payload)).status, 200)
  const before = await frontierOf(market)
  const second = await order(market, stranger)
  const reply = await presents(stranger, postId, second.accepted, second.payload)
  deepEqual([reply.status, reply.body.access], [200, 'wallet'])
  equal(await frontierOf(market), before)
  const third = await quoteFor(stranger, postId)
  const blockHash = await market.pays(third.payTo, price)
  equal((await presents(stranger, postId, third, { blockHash })).status, 200)
  await market.later(10)
  equal((await network.client.receivable(wallet.address, 1n))[0]!.amount, price)
  await isClean(market)
})

test('money in the wrong amount buys nothing and goes back', async (t) => {
  const market = await openMarket(t)
  const { postId, wallet, network } = market
  const stranger = market.world.stranger()
  for (const amount of [price - 1n, price + 1n]) {
    const accepted = await quoteFor(stranger, postId)
    const blockHash = await market.pays(accepted.payTo, amount)
    const reply = await presents(stranger, postId, accepted, { blockHash })
    deepEqual([reply.status, reply.body.error], [402, 'invalid_exact_nano_payload_amount'])
    await market.later(10)
    ok((await network.client.receivable(wallet.address, 1n)).some((back) => back.amount === amount))
  }
  await isClean(market)
})

test('a withdrawn Post is sold to nobody: a block is not published, what was sent goes back, buyers read on', async (t) => {
  const market = await openMarket(t)
  const { world, postId, creator, wallet, network } = market
  const [buyer, late] = [world.stranger(), world.stranger()]
  const first = await order(market, buyer)
  equal((await presents(buyer, postId, first.accepted, first.payload)).status, 200)
  const quoted = await quoteFor(late, postId)
  const signed = await order(market, late)
  const blockHash = await market.pays(quoted.payTo, price)
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  equal((await presents(buyer, postId, first.accepted, first.payload)).status, 200, 'settled same-Post proofs stay')
  equal((await presents(late, postId, signed.accepted, signed.payload)).status, 404)
  equal((await presents(late, postId, quoted, { blockHash })).status, 404)
  await market.later(10)
  equal((await network.client.receivable(wallet.address, 1n))[0]!.amount, price)
  await isClean(market)
})

test('a withdrawn Post has us watch no address that nobody paid to, and nobody asks without end', async (t) => {
  const market = await openMarket(t)
  const { world, postId, creator, earnings, wallet, network } = market
  const late = world.stranger()
  const [unpaid, published] = [await quoteFor(late, postId), await order(market, late)]
  const elsewhere = await market.pays(earnings.address, xno)
  const tipInput = { params: { postId }, query: { amount_raw: String(xno) } }
  const [tip] = (await late.calls(tipThroughX402, tipInput)).body.accepts
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  const watched = async () =>
    (await world.services.pool.query("SELECT count(*)::int AS n FROM nano_addresses WHERE purpose = 'x402-stray'"))
      .rows[0].n
  for (const blockHash of ['AB'.repeat(32), elsewhere]) {
    equal((await presents(late, postId, unpaid, { blockHash })).status, 404)
    const headers = signature(tip, { blockHash })
    equal((await late.calls(tipThroughX402, { ...tipInput, headers })).status, 404)
  }
  equal(await watched(), 0)
  // A signed block that its owner has published by now is money too.
  const again = await blockFor(market, published.accepted.payTo, price)
  await network.client.process(again)
  equal((await presents(late, postId, published.accepted, { block: again })).status, 404)
  equal(await watched(), 1)
  await market.later(10)
  equal((await network.client.receivable(wallet.address, 1n))[0]!.amount, price)
  const guesses = Array.from({ length: 120 }, () => presents(late, postId, unpaid, { blockHash: 'AB'.repeat(32) }))
  ok((await Promise.all(guesses)).some(({ status }) => status === 429))
  await isClean(market)
})

test('a payment that carries an owner token is of the account too', async (t) => {
  const market = await openMarket(t)
  const { postId, buyer } = market
  const { accepted, payload } = await order(market, buyer.owner)
  const paid = await presents(buyer.owner, postId, accepted, payload)
  deepEqual([paid.status, paid.body.access], [200, 'purchased'])
  const later = await buyer.owner.calls(getAccess, { params: { postId } })
  deepEqual([later.body.access, later.body.entitlement.source], ['purchased', 'x402'])
  equal((await buyer.owner.calls(listPurchases, {})).body.total, 1)
  await market.later(10)
  await isClean(market)
})

test('ten requests with one proof are one payment; one block buys one Post', async (t) => {
  const market = await openMarket(t)
  const { world, postId, network, wallet } = market
  const stranger = world.stranger()
  const { accepted, payload } = await order(market, stranger)
  const replies = await Promise.all(Array.from({ length: 10 }, () => presents(stranger, postId, accepted, payload)))
  deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
  const { rows } = await world.services.pool.query('SELECT count(*)::int AS n FROM x402_payments')
  equal(rows[0].n, 1)
  equal((await network.client.accountInfo(wallet.address))!.balance, 1000n * xno - price)
  await market.later(10)
  await isClean(market)
})

test('two blocks on one frontier for two Posts: one is served, the other never was', async (t) => {
  const market = await openMarket(t)
  const { world, postId, network, wallet } = market
  const other = await sells(market.creator)
  const stranger = world.stranger()
  const orders = [await order(market, stranger), await order(market, stranger, other)]
  const replies = await Promise.all([
    presents(stranger, postId, orders[0]!.accepted, orders[0]!.payload),
    presents(stranger, other, orders[1]!.accepted, orders[1]!.payload),
  ])
  deepEqual(replies.map(({ status }) => status).sort(), [200, 402])
  equal((await network.client.accountInfo(wallet.address))!.balance, 1000n * xno - price)
  await market.later(10)
  await isClean(market)
})

test('a name is of one payment, also where only the hash of a block is shown', async (t) => {
  const market = await openMarket(t)
  const { world, creator } = market
  const stranger = world.stranger()
  const extensions = { 'payment-identifier': { info: { required: false, id: 'pay_0123456789abcdef' } } }
  const statuses: number[] = []
  for (const postId of [market.postId, await sells(creator)]) {
    const accepted = await quoteFor(stranger, postId)
    const payload = { blockHash: await market.pays(accepted.payTo, price) }
    const headers = { 'payment-signature': base64({ x402Version: 2, payload, accepted, extensions }) }
    statuses.push((await stranger.calls(getAccess, { params: { postId }, headers })).status)
    equal((await presents(stranger, postId, accepted, payload)).status, 200, 'under no name it is as good')
  }
  deepEqual(statuses, [200, 409])
  await market.later(10)
  await isClean(market)
})

// --- Nodes that fail -------------------------------------------------------------------------------------------------

test('a node that is away before anything was written is 503, and the same request then buys', async (t) => {
  const { market, double } = await openBehindDouble(t)
  const stranger = market.world.stranger()
  const { accepted, payload } = await order(market, stranger)
  double.always('*', 'drop')
  const reply = await presents(stranger, market.postId, accepted, payload)
  equal(reply.status, 503)
  ok(Number(reply.headers.get('retry-after')) > 0)
  double.heal()
  await market.world.advance(70)
  equal((await presents(stranger, market.postId, accepted, payload)).status, 200)
  await market.later(10)
})

test('uncertain is pending: nobody is asked to sign again, and the payment is found by itself', async (t) => {
  const { market, double } = await openBehindDouble(t)
  const { world, postId } = market
  const stranger = world.stranger()
  const { accepted, block, payload } = await order(market, stranger)
  // The node takes the block, and then says nothing any more.
  double.always('process', 'drop-after')
  double.always('block_info', 'drop')
  const reply = await presents(stranger, postId, accepted, payload)
  equal(reply.status, 402, JSON.stringify(reply.body))
  const response = jsonOf(reply, 'payment-response')
  deepEqual(
    [response.success, response.errorReason, response.transaction],
    [false, 'settlement_pending', hashBlock(block)],
  )
  equal(jsonOf(reply, 'payment-required'), null)
  deepEqual(reply.body.accepts, [])
  ok(Number(reply.headers.get('retry-after')) > 0)
  double.heal()
  await market.later(70)
  const { rows } = await world.services.pool.query('SELECT state FROM x402_payments')
  deepEqual(rows, [{ state: 'settled' }], 'in the background')
  const found = await presents(stranger, postId, accepted, payload)
  deepEqual([found.status, found.body.access], [200, 'purchased'])
  await market.later(10)
  await isClean(market)
})

test('a payment whose process died after writing it down is finished by another', async (t) => {
  const { market, double } = await openBehindDouble(t)
  const { world, postId } = market
  const stranger = world.stranger()
  const { accepted, payload } = await order(market, stranger)
  // Nothing of it reaches the node, as if we had died before publishing.
  double.always('process', 'drop')
  equal((await presents(stranger, postId, accepted, payload)).status, 402)
  double.heal()
  await market.later(70)
  await market.later(10)
  equal((await presents(stranger, postId, accepted, payload)).status, 200)
  await market.later(10)
  await isClean(market)
})

test('a payer who goes another way while it is pending has not paid, and may pay again', async (t) => {
  const { market, double } = await openBehindDouble(t)
  const { world, postId, earnings } = market
  const stranger = world.stranger()
  const { accepted, payload } = await order(market, stranger)
  double.always('process', 'drop')
  equal((await presents(stranger, postId, accepted, payload)).status, 402)
  await market.pays(earnings.address, xno)
  double.heal()
  await world.advance(70)
  await world.settle()
  const reply = await presents(stranger, postId, accepted, payload)
  equal(reply.status, 402)
  equal(jsonOf(reply, 'payment-response').success, false)
  const anew = await order(market, stranger)
  equal((await presents(stranger, postId, anew.accepted, anew.payload)).status, 200)
  await market.later(10)
  await isClean(market)
})

test('a block waits on a frontier: another one for it is refused without a trace, one that got there first buys', async (t) => {
  const { market, double } = await openBehindDouble(t)
  const { world, postId, creator } = market
  const [second, third] = [await sells(creator), await sells(creator)]
  const stranger = world.stranger()
  const waiting = await order(market, stranger)
  double.always('process', 'drop')
  equal((await presents(stranger, postId, waiting.accepted, waiting.payload)).status, 402)
  const rival = await order(market, stranger, second)
  const refused = await presents(stranger, second, rival.accepted, rival.payload)
  deepEqual([refused.status, refused.body.error], [402, 'another_payment_is_under_way'])
  const { rows } = await world.services.pool.query('SELECT post_id FROM payment_sessions')
  deepEqual(rows, [{ post_id: postId }])
  const sent = await quoteFor(stranger, third)
  const blockHash = await market.pays(sent.payTo, price)
  const paid = await presents(stranger, third, sent, { blockHash })
  deepEqual([paid.status, paid.body.access], [200, 'purchased'], JSON.stringify(paid.body))
  double.heal()
  await market.later(70)
  await market.later(10)
  await isClean(market)
})

test('a payment that is under way when its Post is withdrawn stays pending to its buyer', async (t) => {
  const { market, double } = await openBehindDouble(t)
  const { world, postId, creator } = market
  const stranger = world.stranger()
  const { accepted, payload } = await order(market, stranger)
  double.always('process', 'drop')
  equal((await presents(stranger, postId, accepted, payload)).status, 402)
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  const reply = await presents(stranger, postId, accepted, payload)
  deepEqual([reply.status, reply.body.error, reply.body.accepts], [402, 'settlement_pending', []])
  double.heal()
  await market.later(70)
  await market.later(10)
})

// --- Tips ------------------------------------------------------------------------------------------------------------

test('a tip needs no account: quoted, paid, received in full', async (t) => {
  const market = await openMarket(t)
  const { world, postId, earnings, network, creator } = market
  const stranger = world.stranger()
  const input = { params: { postId }, query: { amount_raw: String(xno) } }
  const quoted = await stranger.calls(tipThroughX402, input)
  equal(quoted.status, 402)
  const [accepted] = quoted.body.accepts
  deepEqual([accepted.network, accepted.amount], ['nano:mainnet', String(xno)])
  const block = await blockFor(market, accepted.payTo, xno)
  const elsewhere = await presents(stranger, postId, accepted, { block })
  equal(elsewhere.status, 402, 'a tip buys no Post')
  const less = { ...input, query: { amount_raw: String(xno / 2n) }, headers: signature(accepted, { block }) }
  equal((await stranger.calls(tipThroughX402, less)).status, 402)
  for (let time = 0; time < 2; time += 1) {
    const sent = await stranger.calls(tipThroughX402, { ...input, headers: signature(accepted, { block }) })
    equal(sent.status, 200, JSON.stringify(sent.body))
    equal(sent.body.tip.amount_raw, String(xno))
    equal(jsonOf(sent, 'payment-response').success, true)
  }
  equal((await stranger.calls(getAccess, { params: { postId } })).status, 402)
  await market.later(10)
  equal((await network.client.receivable(earnings.address, 1n))[0]!.amount, xno)
  const own = await creator.owner.calls(tipThroughX402, input)
  deepEqual([own.status, own.body.data.code], [409, 'own_content'])
  equal((await stranger.sends(tipThroughX402, { ...input, query: { amount_raw: '1' } })).status, 400)
  equal((await stranger.sends(tipThroughX402, { ...input, query: {} })).status, 400)
  await isClean(market)
})
