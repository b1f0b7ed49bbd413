import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { amountOf } from '@pennypost/contract/money'
import { createWorld } from '../../test/world.ts'
import { book, type Entry } from './ledger.ts'

const at = new Date()
const movement = (cause: string, entries: readonly Entry<'XNO'>[]) =>
  ({ asset: 'XNO', kind: 'arrival', cause, orderId: null, at, entries }) as const
const pair = (units: bigint): Entry<'XNO'>[] => [
  { account: 'chain', ref: 'a', amount: amountOf('XNO', units) },
  { account: 'order', ref: 'b', amount: amountOf('XNO', -units) },
]

test('a movement is balanced, is made once for its cause, and holds the largest amounts exactly', async (t) => {
  const { services } = await createWorld(t)
  const { db, pool } = services
  const books = (cause: string, entries: readonly Entry<'XNO'>[]) =>
    db.transaction().execute((tx) => book(tx, movement(cause, entries)))
  const most = 2n ** 128n - 1n
  await books('arrival:1', [...pair(most), { account: 'house', ref: 'house', amount: amountOf('XNO', 0n) }])
  const { rows } = await pool.query('SELECT account_kind, amount FROM ledger_entries ORDER BY amount')
  deepEqual(rows, [
    { account_kind: 'order', amount: String(-most) },
    { account_kind: 'chain', amount: String(most) },
  ])
  await rejects(books('arrival:1', pair(1n)), /ledger_movements_cause_key/)
  await rejects(
    books('arrival:2', [...pair(1n), { account: 'house', ref: 'house', amount: amountOf('XNO', 1n) }]),
    /not balanced/,
  )
  equal((await pool.query('SELECT FROM ledger_movements')).rowCount, 1)
})

test('the database itself refuses what is not balanced, and every change of what is written', async (t) => {
  const { services } = await createWorld(t)
  const { db, pool } = services
  const insert = (entries: string) =>
    pool.query(`
    WITH movement AS (INSERT INTO ledger_movements (asset, kind, cause, at) VALUES ('XNO', 'sale', 'sale:1', now()) RETURNING id)
    ${entries}`)
  await rejects(insert(`SELECT FROM movement`), /no entries/)
  await rejects(insert(`INSERT INTO ledger_entries SELECT id, 'chain', 'a', 1 FROM movement`), /is not balanced: 1/)
  await db.transaction().execute((tx) => book(tx, movement('arrival:1', pair(5n))))
  await rejects(
    pool.query(`INSERT INTO ledger_entries SELECT id, 'house', 'house', 1 FROM ledger_movements`),
    /not balanced/,
  )
  for (const table of ['ledger_movements', 'ledger_entries']) {
    for (const change of [`DELETE FROM ${table}`, `TRUNCATE ${table} CASCADE`])
      await rejects(pool.query(change), /is only ever added to/)
  }
  await rejects(pool.query('UPDATE ledger_entries SET amount = amount'), /is only ever added to/)
  await rejects(pool.query('UPDATE ledger_movements SET at = at'), /is only ever added to/)
})
