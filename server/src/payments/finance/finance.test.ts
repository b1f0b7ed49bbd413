import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import {
  exportTransactions,
  type FinancialItem,
  listEarnings,
  listPayouts,
  listTransactions,
} from '@pennypost/contract/finance'
import { bindPayout } from '@pennypost/contract/payouts'
import { clearPayoutAddress, getPayoutAddress } from '@pennypost/contract/profiles'
import { withdrawPost } from '@pennypost/contract/publishing'
import type { Reader } from '../../test/people.ts'
import { auditBooks } from '../audit/audit-books.ts'
import { isClean, openMarket, price, quotes, savesAddress, xno } from '../market.fixture.ts'
import { arrives, asksToTip, creatorsIn, tipsWith } from './finance.fixture.ts'
import { fillLines } from './many-lines.fixture.ts'

type List = typeof listTransactions | typeof listEarnings | typeof listPayouts

const commission = price / 20n
const nothing = { count: 0, gross_raw: '0', commission_raw: '0', net_raw: '0' }

test('a sale is in the lists of both sides, with gross = commission + net, and says when its creator is paid', async (t) => {
  const market = await openMarket(t)
  const { buyer, creator, postId, world } = market
  const { id, address } = await quotes(buyer, postId)
  for (const list of [listTransactions, listEarnings, listPayouts]) {
    const { status, body } = await creator.owner.calls(list, {})
    equal(status, 200)
    deepEqual([body.items, body.total, body.summary], [[], 0, { XNO: nothing, USDC: nothing }])
    equal(body.pagination.nextCursor, null)
    ok(new Date(body.pagination.asOf) <= world.services.clock.now())
  }
  await market.pays(address, price)
  await market.checkAddresses()
  const summary = {
    XNO: {
      count: 1,
      gross_raw: String(price),
      commission_raw: String(commission),
      net_raw: String(price - commission),
    },
    USDC: nothing,
  }
  const earned = (await creator.owner.calls(listEarnings, {})).body
  const [item] = earned.items
  deepEqual([earned.total, earned.summary], [1, summary])
  deepEqual(item, {
    source_kind: 'purchase',
    source_id: id,
    kind: 'sale',
    direction: 'in',
    asset: 'XNO',
    status: 'paid',
    gross_raw: String(price),
    commission_raw: String(commission),
    net_raw: String(price - commission),
    post_id: postId,
    post_title: 'On engines',
    counterparty: {
      id: buyer.accountId,
      handle: buyer.handle,
      name: item.counterparty.name,
      avatarUrl: null,
      authorKind: 'human',
    },
    created_at: item.created_at,
    settled_at: item.settled_at,
    block_hash: item.block_hash,
    resolution_eligible: false,
  })
  ok(item.settled_at >= item.created_at)
  equal((await market.network.client.blockInfo(item.block_hash))?.isConfirmed, true)
  const transactions = (await creator.owner.calls(listTransactions, {})).body
  deepEqual(transactions.items, earned.items)
  const paid = (await creator.owner.calls(listPayouts, {})).body
  deepEqual(paid.items, [{ ...item, kind: 'payout', status: 'confirmed' }])
  deepEqual(paid.summary, summary)
  const bought = (await buyer.owner.calls(listTransactions, {})).body
  const counterparty = { ...item.counterparty, id: creator.accountId, handle: creator.handle }
  counterparty.name = bought.items[0].counterparty.name
  deepEqual(bought.items, [{ ...item, kind: 'purchase', direction: 'out', counterparty }])
  deepEqual([bought.total, bought.summary], [1, summary])
  for (const list of [listEarnings, listPayouts]) equal((await buyer.owner.calls(list, {})).body.total, 0)
  const other = await world.reader()
  equal((await other.owner.calls(listTransactions, {})).body.total, 0)
  await isClean(market)
})

/** Every page of a list from a cursor on, with what each said of the whole. */
async function readOn(person: Reader, list: List, limit: number, cursor: string) {
  const items: FinancialItem[] = []
  const said: unknown[] = []
  for (let next: string | null = cursor; next !== null; ) {
    const { body, status } = await person.owner.sends(list, { query: { limit: String(limit), cursor: next } })
    equal(status, 200, JSON.stringify(body))
    items.push(...body.items)
    said.push([body.total, body.summary, body.pagination.asOf])
    next = body.pagination.nextCursor
  }
  return { items, said }
}

test('what comes later neither appears on the next pages nor shifts or changes them', async (t) => {
  const { world, ada, bob, adasPost, bobsPost } = await creatorsIn(t)
  // Some in, some out, so that both are sorted into one list.
  for (let n = 1n; n <= 7n; n += 1n) {
    if (n % 3n === 0n) await tipsWith(world, ada, bobsPost, n * xno)
    else await tipsWith(world, bob, adasPost, n * xno)
  }
  const expected = [
    [listTransactions, [7n, 6n, 5n, 4n, 3n, 2n, 1n]],
    [listEarnings, [7n, 5n, 4n, 2n, 1n]],
    [listPayouts, [7n, 5n, 4n, 2n, 1n]],
  ] as const
  const firsts = await Promise.all(
    expected.map(async ([list]) => (await ada.owner.sends(list, { query: { limit: '2' } })).body),
  )
  await world.advance(60)
  await tipsWith(world, bob, adasPost, xno)
  await tipsWith(world, ada, bobsPost, xno)
  for (const [index, [list, amounts]] of expected.entries()) {
    const first = firsts[index]
    const { items, said } = await readOn(ada, list, 2, first.pagination.nextCursor)
    deepEqual(
      [...first.items, ...items].map(({ gross_raw }) => gross_raw),
      amounts.map((amount) => String(amount * xno)),
    )
    const gross = String(amounts.reduce((sum, amount) => sum + amount * xno, 0n))
    deepEqual(first.summary.XNO, { count: amounts.length, gross_raw: gross, commission_raw: '0', net_raw: gross })
    deepEqual(said, Array(said.length).fill([amounts.length, first.summary, first.pagination.asOf]))
    const later = (await ada.owner.sends(list, { query: { limit: '50' } })).body
    equal(later.items.length, later.total)
    ok(later.total > amounts.length && later.pagination.asOf > first.pagination.asOf)
  }
  for (const [direction, total] of [
    ['in', 6],
    ['out', 3],
  ] as const) {
    const { body } = await ada.owner.calls(listTransactions, { query: { direction } })
    deepEqual([body.total, body.summary.XNO.count], [total, total])
    ok(body.items.every((item: FinancialItem) => item.direction === direction))
  }
})

test('limits of 1 to 50; a cursor is good for the list and the account it was given for, as it was given', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  for (let n = 0; n < 2; n += 1) await tipsWith(world, bob, adasPost, xno)
  for (const limit of ['0', '51', '-1', '1.5', 'x', ''])
    for (const list of [listTransactions, listEarnings, listPayouts])
      equal((await ada.owner.sends(list, { query: { limit } })).status, 400, limit)
  equal((await ada.owner.sends(listTransactions, { query: { direction: 'up' } })).status, 400)
  for (const list of [listTransactions, listEarnings])
    equal((await ada.owner.sends(list, { query: { asset: 'BTC' } })).status, 400)
  equal((await ada.owner.sends(listPayouts, { query: { status: 'confirmed' } })).status, 400)
  equal((await ada.owner.sends(listEarnings, { query: { limit: '50' } })).body.items.length, 2)
  const { nextCursor } = (await ada.owner.sends(listTransactions, { query: { limit: '1' } })).body.pagination
  const asks = async (person: Reader, list: List, query: object) =>
    (await person.owner.sends(list, { query: { limit: '1', ...query } })).status
  equal(await asks(ada, listTransactions, { cursor: nextCursor }), 200)
  equal(await asks(ada, listTransactions, { cursor: nextCursor, direction: 'in' }), 400)
  equal(await asks(ada, listTransactions, { cursor: nextCursor, asset: 'XNO' }), 400)
  equal(await asks(ada, listEarnings, { cursor: nextCursor }), 400)
  equal(await asks(bob, listTransactions, { cursor: nextCursor }), 400)
  for (const cursor of [
    '',
    'x',
    `${nextCursor}A`,
    nextCursor.slice(1),
    'A'.repeat(301),
    Buffer.from('1 9 9').toString('base64url'),
  ])
    equal(await asks(ada, listTransactions, { cursor }), 400, cursor)
  const refused = await ada.owner.sends(listTransactions, { query: { cursor: 'x' } })
  deepEqual([refused.body.code, refused.body.errors[0].field], ['invalid-request', 'cursor'])
})

test('payments at the same moment, both ways, are all counted, in an order that stays', async (t) => {
  const { world, ada, bob, adasPost, bobsPost } = await creatorsIn(t)
  const addresses = await Promise.all(
    Array.from({ length: 12 }, async (_, n) =>
      n % 2 === 0 ? asksToTip(ada, bobsPost, xno) : asksToTip(bob, adasPost, xno),
    ),
  )
  let seen = 0
  const watching = (async () => {
    // A reader meanwhile finds a list that only grows at its end.
    let before: string[] = []
    while (seen < 12) {
      const { items, total } = (await ada.owner.sends(listTransactions, { query: { limit: '50' } })).body
      const ids = items.map(({ source_id }: FinancialItem) => source_id).reverse()
      deepEqual(ids.slice(0, before.length), before)
      equal(ids.length, total)
      before = ids
      seen = total
    }
  })()
  await Promise.all(addresses.map(({ address }) => arrives(world, address, xno)))
  await watching
  deepEqual(await auditBooks(world.services.db, world.services.clock.now()), [])
  for (const person of [ada, bob]) {
    const { summary, total } = (await person.owner.calls(listTransactions, {})).body
    deepEqual([total, summary.XNO.gross_raw], [12, String(12n * xno)])
  }
})

test('a payout without an address is an obligation that its creator, and nobody else, can resolve', async (t) => {
  const market = await openMarket(t)
  const { creator, buyer, postId, world } = market
  const { id, address } = await quotes(buyer, postId)
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  equal((await creator.owner.calls(clearPayoutAddress, {})).status, 200)
  await market.pays(address, price)
  await market.checkAddresses()
  const [owed] = (await creator.owner.calls(listPayouts, {})).body.items
  deepEqual(
    [owed.source_kind, owed.source_id, owed.status, owed.resolution_eligible, owed.settled_at, owed.block_hash],
    ['purchase', id, 'blocked', true, null, null],
  )
  const blocked = (await creator.owner.calls(listPayouts, { query: { status: 'blocked' } })).body
  deepEqual([blocked.items, blocked.total, blocked.summary.XNO.net_raw], [[owed], 1, String(price - commission)])
  equal((await creator.owner.calls(listPayouts, { query: { status: 'waiting' } })).body.total, 0)
  equal((await buyer.owner.calls(listPayouts, { query: { status: 'blocked' } })).body.total, 0)
  const [earned] = (await creator.owner.calls(listEarnings, {})).body.items
  deepEqual([earned.status, earned.resolution_eligible], ['received', true])
  const [bought] = (await buyer.owner.calls(listTransactions, {})).body.items
  deepEqual([bought.status, bought.resolution_eligible], ['received', false])
  await savesAddress(creator, market.earnings.address)
  const { payoutAddress, addressUpdatedAt } = (await creator.owner.calls(getPayoutAddress, {})).body
  const params = { sourceKind: owed.source_kind, sourceId: owed.source_id }
  const bound = await creator.owner.calls(bindPayout, { params, body: { payoutAddress, addressUpdatedAt } })
  equal(bound.status, 200, JSON.stringify(bound.body))
  await world.runJobs()
  const [paid] = (await creator.owner.calls(listPayouts, {})).body.items
  deepEqual([paid.status, paid.resolution_eligible], ['confirmed', false])
  ok(paid.block_hash && paid.settled_at)
  equal((await creator.owner.calls(listPayouts, { query: { status: 'blocked' } })).body.total, 0)
  await isClean(market)
})

test('transactions as a table: whole, exact, the latest first', async (t) => {
  const { world, ada, bob, adasPost, bobsPost } = await creatorsIn(t)
  const { id, address } = await quotes(bob, adasPost.postId)
  await arrives(world, address, price)
  await tipsWith(world, ada, bobsPost, xno + 1n)
  const table = async (query: object = {}) => {
    const { status, headers, body } = await ada.owner.calls(exportTransactions, { query })
    deepEqual([status, headers.get('content-type')], [200, 'text/csv; charset=utf-8'])
    return {
      headers,
      rows: Buffer.from(body)
        .toString()
        .split('\r\n')
        .map((row) => row.split(',')),
    }
  }
  const { headers, rows } = await table()
  match(headers.get('content-disposition')!, /^attachment; filename="transactions-\d{4}-\d{2}-\d{2}\.csv"$/)
  const [heading, tip, sale, ...end] = rows
  deepEqual(
    [heading!.slice(2, 10).join(), end],
    ['direction,kind,status,asset,gross,commission,net,counterparty', [['']]],
  )
  const exact = '1.000000000000000000000000000001'
  deepEqual(tip!.slice(2, 10), ['out', 'tip', 'received', 'XNO', exact, '0', exact, bob.handle])
  deepEqual(sale!.slice(2, 10), ['in', 'sale', 'received', 'XNO', '0.25', '0.0125', '0.2375', bob.handle])
  deepEqual(sale!.slice(10), [adasPost.postId, 'purchase', id, ''])
  deepEqual((await table({ direction: 'in' })).rows.slice(1), [sale, ['']])
  deepEqual((await table({ asset: 'USDC' })).rows.slice(1), [['']])
  await fillLines(
    world.services.pool,
    { payerId: (await world.reader()).accountId, payeeId: bob.accountId, ...bobsPost },
    1_200,
  )
  const bobs = (await bob.owner.calls(exportTransactions, { query: { direction: 'in' } })).body
  const ids = Buffer.from(bobs)
    .toString()
    .trim()
    .split('\r\n')
    .map((row) => row.split(',')[12])
  deepEqual([ids.length, new Set(ids).size], [1_202, 1_202])
  equal((await ada.owner.sends(exportTransactions, { query: { direction: 'up' } })).status, 400)
})
