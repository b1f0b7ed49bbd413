import { deepEqual } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { olderDatabase } from '../../test/older-database.ts'

test('what accounts of an older database earned and gave in USDC is counted, and their supporters stay', async (t) => {
  const { client, migrateOnce } = await olderDatabase(t, '0040-usdc-tips.sql')
  const [author, reader, comment] = [randomUUID(), randomUUID(), randomUUID()]
  // Their posts and orders do not matter here.
  await client.query('SET session_replication_role = replica')
  for (const id of [author, reader]) await client.query('INSERT INTO account_figures (account_id) VALUES ($1)', [id])
  for (const [accountId, direction, asset, gross] of [
    [author, 'in', 'USDC', '250000'],
    [author, 'in', 'USDC', '100000'],
    [author, 'in', 'XNO', '7'],
    [reader, 'out', 'USDC', '250000'],
  ])
    await client.query(
      `INSERT INTO finance_lines (account_id, direction, asset, order_id, gross_raw, commission_raw, net_raw, line_count,
         gross_total, commission_total, net_total) VALUES ($1, $2, $3, $4, $5, 0, $5, 1, $5, 0, $5)`,
      [accountId, direction, asset, randomUUID(), gross],
    )
  await client.query('INSERT INTO comment_supporters (comment_id, account_id, tip_total_raw) VALUES ($1, $2, 5)', [
    comment,
    reader,
  ])

  await migrateOnce()

  const { rows } = await client.query('SELECT account_id, earned_atomic, given_atomic FROM account_figures')
  deepEqual(
    rows.sort((one, other) => Number(other.earned_atomic) - Number(one.earned_atomic)),
    [
      { account_id: author, earned_atomic: '350000', given_atomic: '0' },
      { account_id: reader, earned_atomic: '0', given_atomic: '250000' },
    ],
  )
  const supporters = await client.query(
    'SELECT account_id, wallet, tip_total_raw, tip_total_atomic FROM comment_supporters',
  )
  deepEqual(supporters.rows, [{ account_id: reader, wallet: null, tip_total_raw: '5', tip_total_atomic: '0' }])
})
