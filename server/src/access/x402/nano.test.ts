import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { tipThroughX402 } from '@pennypost/contract/x402-tips'
import { hashBlock, linkTo, signBlock } from '@pennypost/nano/block'
import { isClean, openMarket, price, sells, xno } from '../../payments/market.fixture.ts'
import { createNanoWallet } from '../../test/nano-wallet.ts'
import { tampered } from '../../test/tampered.ts'
import { base64, jsonOf, presents, quoteFor, signature } from './buying.fixture.ts'
import { blockFor, frontierOf, order, untilReturned } from './nano-orders.fixture.ts'

const secret = 'the-secret-part'

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
  const { extensions: _, ...said } = receipt
  const { address: payer } = market.wallet
  deepEqual(said, { success: true, transaction: hashBlock(block), network: 'nano:mainnet', payer })
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

test('a price is not kept forever: a payment that was sent and is presented more than a day late goes back', async (t) => {
  const market = await openMarket(t)
  const { world, postId } = market
  const stranger = world.stranger()
  const accepted = await quoteFor(stranger, postId)
  const blockHash = await market.pays(accepted.payTo, price)
  await world.advance(300 + 24 * 3600 + 2)
  const reply = await presents(stranger, postId, accepted, { blockHash })
  deepEqual([reply.status, reply.body.error], [402, 'quote_expired'])
  await market.later(10)
  await untilReturned(market, price)
  await isClean(market)
})

test('a proof that pays too little, pays someone else, or is not signed is refused and never published', async (t) => {
  const market = await openMarket(t)
  const { world, postId, wallet, earnings, network } = market
  const stranger = world.stranger()
  const { accepted, block } = await order(market, stranger)
  const before = await frontierOf(market)
  const { balance } = (await network.client.accountInfo(wallet.address))!
  const elsewhere = await wallet.next({ balance: balance - price, link: linkTo(earnings.address) })
  const forged = { ...block, signature: tampered(block.signature) }
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
    ['tampered token', { ...accepted, extra: { quote: tampered(accepted.extra.quote) } }],
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
    block: { ...block, signature: tampered(block.signature) },
  }
  equal((await presents(buyer, postId, accepted, altered)).status, 402, 'altered reads nothing')
  await market.later(10)
})

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
