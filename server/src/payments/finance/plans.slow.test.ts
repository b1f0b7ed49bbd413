import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { listEarnings, listTransactions } from '@pennypost/contract/finance'
import { supportersOfComment, tipsToPost } from '../../discussion/tip-store.ts'
import { rowsRead } from '../../test/rows-read.ts'
import { ownOrder } from '../orders/order-view.ts'
import { creatorsIn } from './finance.fixture.ts'
import { pageOfLines, totalsOfLines } from './finance-list-store.ts'
import { fillLines } from './many-lines.fixture.ts'
import { sumsOfDays } from './report-store.ts'

const many = 20_000

test('of 20,000 lines a page reads what it shows, and a total one line of each kind, wherever they lie', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  const { pool } = world.services
  await fillLines(pool, { payerId: bob.accountId, payeeId: ada.accountId, ...adasPost }, many)
  for (const table of ['finance_lines', 'orders', 'payouts']) await pool.query(`ANALYZE ${table}`)
  const { rows } = await pool.query('SELECT min(position) AS first, max(position) AS last FROM finance_lines')
  const [first, last] = [Number(rows[0].first), Number(rows[0].last)]
  for (const position of [last + 1, (first + last) / 2, first + 30]) {
    const kinds = [['in', 'out'], ['XNO', 'USDC'], Math.floor(position)]
    // One line of each direction and asset.
    ok((await rowsRead(pool, totalsOfLines, [ada.accountId, ...kinds])) <= 4)
    // A line, its order, its Post, its payout, whose it is and their profile.
    ok((await rowsRead(pool, pageOfLines, [ada.accountId, ...kinds, 51])) <= 51 * 6)
  }
  ok((await rowsRead(pool, tipsToPost, [adasPost.postId, 500, 'infinity', adasPost.postId])) <= 500 * 3)
  ok((await rowsRead(pool, supportersOfComment, [adasPost.postId, 500])) === 0)
  // A client that waits for a payment polls this: the order, its address and its payout.
  const paid = await pool.query('SELECT id FROM orders WHERE payer_id = $1 LIMIT 1', [bob.accountId])
  ok((await rowsRead(pool, ownOrder, [paid.rows[0].id, bob.accountId, 'tip'])) <= 5)
  // All in one night: a report adds up days, not lines.
  ok((await rowsRead(pool, sumsOfDays, [ada.accountId, '2026-01-01', '2026-12-31'])) <= 1)
  const { body } = await ada.owner.calls(listEarnings, {})
  deepEqual([body.total, body.items.length], [many, 20])
  const { count, gross_raw, commission_raw, net_raw } = body.summary.XNO
  equal(count, many)
  equal(BigInt(gross_raw), BigInt(commission_raw) + BigInt(net_raw))
  deepEqual((await bob.owner.calls(listTransactions, {})).body.summary, body.summary)
})
