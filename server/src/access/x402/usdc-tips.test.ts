import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { deleteComment, getComment } from '@pennypost/contract/comments'
import { getLeaderboard, getPublicPost } from '@pennypost/contract/discovery'
import { listEarnings, listTransactions } from '@pennypost/contract/finance'
import { listNotifications } from '@pennypost/contract/notifications'
import { clearBasePayoutAddress, saveBasePayoutAddress, savePayoutAddress } from '@pennypost/contract/profiles'
import { listCommentSupporters, listTipActivities } from '@pennypost/contract/tip-lists'
import { getTip } from '@pennypost/contract/tips'
import { tipCommentThroughX402, tipThroughX402 } from '@pennypost/contract/x402-tips'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { comments } from '../../discussion/discussion.fixture.ts'
import * as nanoMarket from '../../payments/market.fixture.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { type BaseWallet, createBaseWallet, payWith } from '../../test/base-wallet.ts'
import { injectFetch } from '../../test/inject-fetch.ts'
import type { Reader } from '../../test/people.ts'
import type { Person } from '../../test/person.ts'
import { until } from '../../test/until.ts'
import { base64, jsonOf, presents, signature } from './buying.fixture.ts'
import { blockFor } from './nano-orders.fixture.ts'
import { isClean, openUsdcMarket, stranger, type UsdcMarket } from './usdc-market.fixture.ts'

const skip = !hasAnvil
const tipAmount = 150_000n
const query = { amount_atomic: String(tipAmount), asset: 'USDC' } as const

type Target = { readonly postId: string } | { readonly commentId: string }

const asks = (person: Person, target: Target, more: object = {}) =>
  'postId' in target
    ? person.calls(tipThroughX402, { params: target, query, ...more })
    : person.calls(tipCommentThroughX402, { params: target, query, ...more })

/** Signs a new offer with a stock client. */
async function signs(person: Person, wallet: BaseWallet, target: Target) {
  const { status, body } = await asks(person, target)
  equal(status, 402, JSON.stringify(body))
  const [accepted] = body.accepts
  return { accepted, payload: (await payWith(wallet, accepted)).payload }
}

async function tips(person: Person, wallet: BaseWallet, target: Target) {
  const { accepted, payload } = await signs(person, wallet, target)
  const reply = await asks(person, target, { headers: signature(accepted, payload) })
  equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body.tip
}

/** A comment under the market's post, by an author who can be paid in USDC. */
async function writesComment({ world, postId }: UsdcMarket): Promise<{ writer: Reader; commentId: string }> {
  const writer = await world.reader({ name: 'Writer' })
  await writer.owner.calls(saveBasePayoutAddress, { body: { payoutAddress: createBaseWallet().address } })
  return { writer, commentId: (await comments(writer, postId, 'well said')).id }
}

test('a post is tipped in USDC: one offer, the whole amount for the author, and no right to read', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, payTo } = market
  const person = world.stranger()
  const { body } = await asks(person, { postId })
  deepEqual(
    body.accepts.map((offer: { network: string; amount: string; payTo: string }) => [
      offer.network,
      offer.amount,
      offer.payTo,
    ]),
    [['eip155:8453', String(tipAmount), payTo]],
  )
  const wallet = await market.fundedWallet()
  const { accepted, payload } = await signs(person, wallet, { postId })
  equal((await presents(person, postId, accepted, payload)).status, 402, 'a tip buys no post')
  const headers = signature(accepted, payload)
  const more = { params: { postId }, query: { ...query, amount_atomic: String(2n * tipAmount) }, headers }
  equal((await person.calls(tipThroughX402, more)).status, 402, 'nor another tip')
  const sent = [await asks(person, { postId }, { headers }), await asks(person, { postId }, { headers })]
  const [tip, again] = sent.map((reply) => reply.body.tip)
  deepEqual(tip, {
    id: tip.id,
    post_id: postId,
    comment_id: null,
    status: 'paid',
    asset: 'USDC',
    amount_raw: null,
    amount_atomic: String(tipAmount),
    created_at: tip.created_at,
  })
  deepEqual(again, tip)
  equal(jsonOf(sent[0]!, 'payment-response').success, true)
  equal(await market.balance(payTo), tipAmount)
  equal((await presents(person, postId, accepted, payload)).status, 402)
  equal((await person.calls(getPublicPost, { params: { postId } })).body.salesCount, 0)
  await isClean(market)
})

test('a stock client tips unchanged', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(await market.fundedWallet()))
  const pays = wrapFetchWithPayment(injectFetch(world.server, '10.9.9.7'), client)
  const reply = await pays(`${world.origin}/api/posts/${postId}/tip?amount_atomic=${tipAmount}&asset=USDC`)
  equal(reply.status, 200)
  equal(await market.balance(market.payTo), tipAmount)
})

test('tips in USDC are in totals, lists, notifications and leaderboards, apart from Nano', { skip }, async (t) => {
  const market = await openUsdcMarket(t, { isolation: 'emptied' })
  const { world, postId, creator } = market
  const fan = await world.reader({ name: 'Fan' })
  const tip = await tips(fan.owner, await market.fundedWallet(), { postId })
  await tips(world.stranger(), await market.fundedWallet(), { postId })
  await world.runJobs()
  const reader = world.stranger()
  const { body: post } = await reader.calls(getPublicPost, { params: { postId } })
  deepEqual([post.tipTotalRaw, post.tipTotalAtomic], ['0', String(2n * tipAmount)])
  const { body: activities } = await reader.calls(listTipActivities, { params: { postId } })
  const listed = activities.map((row: Record<string, unknown>) => [
    row.asset,
    row.amountReceivedRaw,
    row.amountReceivedAtomic,
    (row.tipper as { name: string } | null)?.name,
  ])
  deepEqual(listed, [
    ['USDC', '0', String(tipAmount), undefined],
    ['USDC', '0', String(tipAmount), 'Fan'],
  ])
  const record = (await fan.owner.calls(getTip, { params: { sessionId: tip.id } })).body
  deepEqual(
    [record.asset, record.amount_raw, record.status, record.ephemeral_address, record.payout.status],
    ['USDC', String(tipAmount), 'paid', null, 'confirmed'],
  )
  const { body: feed } = await creator.owner.calls(listNotifications, {})
  const titles = feed.notifications.map(({ title }: { title: string }) => title)
  ok(
    titles.some((title: string) => title.startsWith('Fan tipped you 0.15 USDC')),
    titles.join(),
  )
  const earned = (await creator.owner.calls(listEarnings, {})).body
  deepEqual(
    [earned.items[0].kind, earned.summary.USDC.net_raw, earned.summary.USDC.commission_raw],
    ['tip', String(2n * tipAmount), '0'],
  )
  equal((await fan.owner.calls(listTransactions, {})).body.items[0].kind, 'tip')
  const board = async (name: 'supporters' | 'creators_earnings', asset?: 'USDC') => {
    const { body } = await fan.owner.calls(getLeaderboard, { query: { board: name, asset } })
    return [
      body.items.map((row: { valueRaw?: string; valueAtomic?: string }) => row.valueAtomic ?? row.valueRaw),
      body.my_rank,
    ]
  }
  deepEqual(await board('supporters', 'USDC'), [[String(tipAmount)], 1])
  deepEqual(await board('creators_earnings', 'USDC'), [[String(2n * tipAmount)], null])
  deepEqual(await board('supporters'), [[], null])
  // A wallet of the author's tips too. That counts in the books, and not on the boards.
  const own = await market.fundedWallet()
  await world.services.pool.query(
    `INSERT INTO wallets (kind, address, account_id, linked_at) VALUES ('evm', $1, $2, now())`,
    [own.address, creator.accountId],
  )
  await tips(fan.owner, own, { postId })
  await world.runJobs()
  deepEqual(await board('supporters', 'USDC'), [[String(tipAmount)], 1])
  deepEqual(await board('creators_earnings', 'USDC'), [[String(2n * tipAmount)], null])
  deepEqual(await board('creators_earnings'), [[], null])
  const page = await world.server.inject({ method: 'GET', url: '/leaderboards?board=supporters&asset=USDC' })
  ok(page.payload.includes('0.15 USDC'))
  await isClean(market)
})

test('a comment is tipped in USDC: its author gets it, and supporters are accounts and wallets', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const { writer, commentId } = await writesComment(market)
  const fan = await world.reader()
  const wallet = await market.fundedWallet()
  for (const person of [fan.owner, fan.owner, world.stranger()]) {
    const tip = await tips(person, wallet, { commentId })
    deepEqual([tip.post_id, tip.comment_id, tip.amount_atomic], [postId, commentId, String(tipAmount)])
  }
  const { body: comment } = await fan.owner.calls(getComment, { params: { commentId } })
  deepEqual([comment.tip_total_raw, comment.tip_total_atomic], ['0', String(3n * tipAmount)])
  const { body: supporters } = await world.stranger().calls(listCommentSupporters, { params: { postId, commentId } })
  deepEqual(
    supporters.map((row: { tipper: { id: string } | null; tipAmountRaw: null; tipAmountAtomic: string }) => [
      row.tipper?.id ?? null,
      row.tipAmountRaw,
      row.tipAmountAtomic,
    ]),
    [
      [fan.accountId, null, String(2n * tipAmount)],
      [null, null, String(tipAmount)],
    ],
  )
  equal((await world.stranger().calls(getPublicPost, { params: { postId } })).body.tipTotalAtomic, '0')
  const { accepted, payload } = await signs(world.stranger(), wallet, { commentId })
  const elsewhere = await asks(world.stranger(), { postId }, { headers: signature(accepted, payload) })
  deepEqual([elsewhere.status, elsewhere.body.error], [402, 'no_matching_payment_requirements'])
  await writer.owner.calls(deleteComment, { params: { commentId } })
  const gone = await asks(world.stranger(), { commentId }, { headers: signature(accepted, payload) })
  deepEqual([gone.status, gone.body.data.code], [404, 'comment_not_found'])
  await isClean(market)
})

test('who cannot be tipped in USDC, and what is no amount', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, creator } = market
  const person = world.stranger()
  const sends = async (wrong: object) =>
    (await person.sends(tipThroughX402, { params: { postId }, query: wrong })).status
  equal(await sends({ amount_atomic: '100000', asset: 'USDC' }), 402)
  for (const wrong of [
    { amount_atomic: '99999', asset: 'USDC' },
    { amount_atomic: '0.1', asset: 'USDC' },
    { amount_atomic: '100000' },
    { amount_atomic: '100000', asset: 'XNO' },
    { amount_raw: String(10n ** 30n), asset: 'USDC' },
    { amount_raw: String(10n ** 30n), amount_atomic: '100000', asset: 'USDC' },
    { asset: 'USDC' },
    { amount_atomic: '100000', asset: 'EUR' },
  ])
    equal(await sends(wrong), 400, JSON.stringify(wrong))
  const own = await asks(creator.owner, { postId })
  deepEqual([own.status, own.body.data.code], [409, 'own_content'])
  const nano = await person.calls(tipThroughX402, { params: { postId }, query: { amount_raw: String(10n ** 30n) } })
  deepEqual([nano.status, nano.body.data.code], [409, 'tipping_unavailable'], 'no Nano address')
  const commenter = await world.reader()
  const { id: commentId } = await comments(commenter, postId, 'unpaid')
  const unpaid = await asks(person, { commentId })
  deepEqual([unpaid.status, unpaid.body.data.code], [409, 'tipping_unavailable'])
  equal((await asks(person, { commentId: postId })).status, 404)
  await creator.owner.calls(savePayoutAddress, {
    body: { payoutAddress: 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3' },
  })
  const { accepted, payload } = await signs(person, await market.fundedWallet(), { postId })
  const crossed = {
    params: { postId },
    query: { amount_raw: String(10n ** 30n) },
    headers: signature(accepted, payload),
  }
  equal((await person.calls(tipThroughX402, crossed)).body.error, 'no_matching_payment_requirements')
})

test('a tip is refused like any payment: malformed, to oneself, or named like another', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { writer, commentId } = await writesComment(market)
  const person = market.world.stranger()
  equal((await asks(writer.owner, { commentId })).body.data.code, 'own_content')
  for (const target of [{ commentId }, { postId: market.postId }]) {
    const malformed = await asks(person, target, { headers: { 'payment-signature': 'x' } })
    equal(malformed.body.data.code, 'payment_malformed')
    const wallet = await market.fundedWallet()
    const sent = []
    for (let time = 0; time < 2; time += 1) {
      const { accepted, payload } = await signs(person, wallet, target)
      const extensions = { 'payment-identifier': { info: { required: false, id: 'tip_0123456789abcdef' } } }
      const headers = { 'payment-signature': base64({ x402Version: 2, payload, accepted, extensions }) }
      sent.push(await asks(person, target, { headers }))
    }
    deepEqual([sent[0]!.status, sent[1]!.status, sent[1]!.body.data.code], [200, 409, 'payment_identifier_conflict'])
  }
  await market.later(10)
})

test('an author who took the address away is sent nothing new', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { writer, commentId } = await writesComment(market)
  const person = market.world.stranger()
  const wallet = await market.fundedWallet()
  const { accepted, payload } = await signs(person, wallet, { commentId })
  await writer.owner.calls(clearBasePayoutAddress, {})
  const refused = await asks(person, { commentId }, { headers: signature(accepted, payload) })
  deepEqual([refused.status, refused.body.data.code], [409, 'tipping_unavailable'])
  equal(await market.balance(wallet.address), 10_000_000n)
})

test('an uncertain tip is asked for once: the same request settles it, and one that is signed again is not sent', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, payTo } = market
  const faultyNode = await stranger(t, market)
  const person = world.stranger()
  const wallet = await market.fundedWallet()
  const { accepted, payload } = await signs(person, wallet, { postId })
  faultyNode.always('eth_sendRawTransaction', 'drop')
  const headers = signature(accepted, payload)
  const uncertain = await asks(person, { postId }, { headers })
  deepEqual([uncertain.status, uncertain.body.error, uncertain.body.accepts], [402, 'settlement_pending', []])
  ok(uncertain.headers.get('retry-after'))
  // A client that was restarted knows nothing of it, and signs once more.
  const again = await signs(person, wallet, { postId })
  const waits = await asks(person, { postId }, { headers: signature(again.accepted, again.payload) })
  deepEqual([waits.status, waits.body.error], [402, 'settlement_pending'])
  faultyNode.heal()
  const settled = await until('the tip is settled', async () => {
    const reply = await asks(person, { postId }, { headers: signature(again.accepted, again.payload) })
    return reply.status === 200 ? reply : undefined
  })
  const same = await asks(person, { postId }, { headers })
  deepEqual([same.status, settled?.body.tip.id], [200, same.body.tip?.id])
  equal(await market.balance(payTo), tipAmount)
  // What is certain is over: the next one is another tip.
  await tips(person, wallet, { postId })
  equal(await market.balance(payTo), 2n * tipAmount)
  await market.later(10)
  await isClean(market)
})

test('the auditor finds a tip in USDC that is booked as something else', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world } = market
  const { commentId } = await writesComment(market)
  await tips(world.stranger(), await market.fundedWallet(), { commentId })
  await isClean(market)
  const { pool } = world.services
  const wrongs = [
    ['x402_payments', "purpose = 'access', comment_id = NULL", `purpose = 'tip', comment_id = '${commentId}'`],
    ['orders', 'comment_id = NULL', `comment_id = '${commentId}'`],
    ['ledger_movements', "kind = 'sale'", "kind = 'tip'", " WHERE kind = 'tip'", " WHERE kind = 'sale'"],
    ['comment_supporters', 'tip_total_atomic = tip_total_atomic + 1', 'tip_total_atomic = tip_total_atomic - 1'],
  ] as const
  for (const [table, wrong, right, where = '', back = ''] of wrongs) {
    const changes = (change: string, only: string) =>
      pool.query(
        `SET session_replication_role = replica; UPDATE ${table} SET ${change}${only}; RESET session_replication_role`,
      )
    await changes(wrong, where)
    const isFound = await isClean(market).then(
      () => false,
      () => true,
    )
    ok(isFound, `${table}: ${wrong}`)
    await changes(right, back)
    await isClean(market)
  }
})

test('a comment is tipped in Nano through x402, by accounts and by wallets', async (t) => {
  const market = await nanoMarket.openMarket(t)
  const { world, postId, creator, earnings, buyer } = market
  const { xno } = nanoMarket
  const { id: commentId } = await comments(creator, postId, 'thank you all')
  const input = { params: { commentId }, query: { amount_raw: String(xno) } }
  for (const person of [world.stranger(), buyer.owner]) {
    const [accepted] = (await person.calls(tipCommentThroughX402, input)).body.accepts
    const block = await blockFor(market, accepted.payTo, xno)
    const headers = signature(accepted, { block })
    const elsewhere = { params: { postId }, query: input.query, headers }
    equal((await person.calls(tipThroughX402, elsewhere)).status, 402, 'a tip for the comment is none for the post')
    const sent = await person.calls(tipCommentThroughX402, { ...input, headers })
    deepEqual([sent.status, sent.body.tip?.comment_id, sent.body.tip?.amount_raw], [200, commentId, String(xno)])
    await market.later(10)
  }
  equal(await earnings.receives(), 2n * xno)
  const { body } = await world.stranger().calls(listCommentSupporters, { params: { postId, commentId } })
  deepEqual(
    body
      .map((row: { tipper: { id: string } | null; tipAmountRaw: string }) => [row.tipper?.id ?? '', row.tipAmountRaw])
      .sort(),
    [
      ['', String(xno)],
      [buyer.accountId, String(xno)],
    ],
  )
  equal((await buyer.owner.calls(getComment, { params: { commentId } })).body.tip_total_raw, String(2n * xno))
  await nanoMarket.isClean(market)
})
