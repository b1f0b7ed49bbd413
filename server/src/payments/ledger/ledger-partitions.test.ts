import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { amountOf } from '@pennypost/contract/money'
import { sql } from 'kysely'
import { makePartitions } from '../../platform/database/make-partitions.job.ts'
import { olderDatabase } from '../../test/older-database.ts'
import { scansOf } from '../../test/rows-read.ts'
import { createWorld, type World } from '../../test/world.ts'
import { book } from './ledger.ts'

const width = 20_000_000

/** As if this many movements had been made. */
const count = ({ services: { pool } }: World, movements: number) =>
  pool.query(`SELECT setval(pg_get_serial_sequence('ledger_movements', 'id'), $1)`, [movements])

const books = ({ services: { db } }: World, cause: string) =>
  db.transaction().execute((tx) =>
    book(tx, {
      asset: 'XNO',
      kind: 'arrival',
      cause,
      orderId: null,
      at: new Date(),
      entries: [
        { account: 'chain', ref: 'a', amount: amountOf('XNO', 5n) },
        { account: 'order', ref: 'b', amount: amountOf('XNO', -5n) },
      ],
    }),
  )

/** Where the entries of each movement are. */
async function places({ services: { pool } }: World): Promise<string[]> {
  const { rows } = await pool.query<{ place: string }>(
    `SELECT DISTINCT movement_id, movement_id || ' ' || tableoid::regclass AS place FROM ledger_entries ORDER BY movement_id`,
  )
  return rows.map(({ place }) => place)
}

async function listPartitions({ services: { pool } }: World): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'ledger_entries'::regclass ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

test('partitions are made ahead, once, and every rule of the ledger holds in each of them', async (t) => {
  const world = await createWorld(t)
  const { db, pool } = world.services
  const run = () => makePartitions.run(world.services, {})
  await run()
  const first = ['ledger_entries_default', 'ledger_entries_first']
  deepEqual(await listPartitions(world), first)

  // There is always room for as many movements as a partition has. It waits for nobody who is writing.
  await count(world, width)
  await db.transaction().execute(async (tx) => {
    await sql`LOCK TABLE ledger_movements IN ROW EXCLUSIVE MODE`.execute(tx)
    await rejects(run(), /lock timeout/)
  })
  deepEqual(await listPartitions(world), first)
  await Promise.all([run(), run(), run(), run()])
  deepEqual(await listPartitions(world), [...first, 'ledger_entries_from_40000000'])

  await count(world, 2 * width - 2)
  for (const cause of ['arrival:1', 'arrival:2']) await books(world, cause)
  const found = ['39999999 ledger_entries_first', '40000000 ledger_entries_from_40000000']
  deepEqual(await places(world), found)

  await rejects(books(world, 'arrival:1'), /ledger_movements_cause_key/)
  for (const [id, partition] of found.map((place) => place.split(' ') as [string, string])) {
    for (const table of ['ledger_entries', partition]) {
      const insert = (values: string) => pool.query(`INSERT INTO ${table} VALUES ${values}`)
      await rejects(insert(`(${id}, 'house', 'house', 1)`), /is not balanced: 1/)
      await rejects(insert(`(${id}, 'chain', 'a', 1), (${id}, 'house', 'house', -1)`), /_pkey/)
      await rejects(insert(`(${id}, 'house', 'house', 0)`), /amount_check/)
      await rejects(insert(`(${id}, 'nobody', 'house', 1)`), /account_kind_check/)
      for (const change of [`UPDATE ${table} SET amount = amount`, `DELETE FROM ${table}`, `TRUNCATE ${table}`])
        await rejects(pool.query(change), /is only ever added to/)
    }
    const unknown = `INSERT INTO ledger_entries VALUES (${id}::bigint - 5, 'chain', 'a', 1), (${id}::bigint - 5, 'house', 'b', -1)`
    await rejects(pool.query(unknown), /movement_id_fkey/)
  }

  // Nobody made the next one in time: the money is still booked, and later money has its own partition again.
  await count(world, 3 * width)
  await books(world, 'arrival:3')
  await run()
  await books(world, 'arrival:4')
  await count(world, 4 * width)
  await books(world, 'arrival:5')
  const later = ['60000001 ledger_entries_default', '60000002 ledger_entries_default']
  deepEqual(await places(world), [...found, ...later, '80000001 ledger_entries_from_80000000'])

  // A sequence that was set far ahead makes one more partition, not a million.
  await count(world, 1_000_000 * width)
  await run()
  deepEqual(
    (await listPartitions(world)).slice(2),
    [40, 80, 20_000_020].map((start) => `ledger_entries_from_${start}000000`).sort(),
  )

  await world.inSession(async (client) => {
    // In a small table reading everything is cheapest.
    await client.query('SET enable_seqscan = off')
    const scans = (text: string) => scansOf(client, `SELECT sum(amount) FROM ledger_entries WHERE ${text}`, [])
    const ofAccount = await scans(`account_kind = 'chain' AND account_ref = 'a'`)
    deepEqual([ofAccount.length, ofAccount.filter((scan) => /^(Index|Bitmap Heap) Scan/.test(scan)).length], [5, 5])
    const ofMovement = await scans('movement_id = 40000000')
    equal(ofMovement.length, 1)
    match(ofMovement[0]!, /^(Index|Bitmap Heap) Scan ledger_entries_from_40000000$/)
  })
})

test('the statistics of all partitions together are made when the ledger has grown by more than a third', async (t) => {
  const world = await createWorld(t)
  const { pool } = world.services
  const believed: number[] = []
  for (let movements = 1; movements <= 5; movements += 1) {
    await books(world, `arrival:${movements}`)
    if (movements < 3) continue
    // PostgreSQL does this automatically, some time after many rows were added.
    await pool.query('ANALYZE ledger_entries_first')
    await makePartitions.run(world.services, {})
    const { rows } = await pool.query(`SELECT reltuples FROM pg_class WHERE oid = 'ledger_entries'::regclass`)
    believed.push(rows[0].reltuples)
  }
  // Each movement has two entries. Eight are a third more than six, and ten are more than that.
  deepEqual(believed, [6, 6, 10])
})

test('a ledger with entries becomes one with partitions as it is, beside a program that writes', async (t) => {
  const { client, migrateOnce } = await olderDatabase(t, '0085-ledger-range.sql', '0087-ledger-partitions.sql')
  // As the previous version books, with a statement that it prepared earlier.
  const booked = (cause: string) =>
    client.query({
      name: 'book',
      text: `WITH movement AS (
          INSERT INTO ledger_movements (asset, kind, cause, at) VALUES ('XNO', 'arrival', $1, now()) RETURNING id)
        INSERT INTO ledger_entries (movement_id, account_kind, account_ref, amount)
        SELECT id, kind, 'a', amount FROM movement, (VALUES ('chain', 7), ('order', -7)) AS entry(kind, amount)`,
      values: [cause],
    })
  await client.query(`SELECT setval(pg_get_serial_sequence('ledger_movements', 'id'), 52345678)`)
  for (let index = 0; index < 10; index += 1) await booked(`arrival:${index}`)
  const columns = `SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull, ', ' ORDER BY attnum) AS found
    FROM pg_attribute WHERE attrelid = 'ledger_entries'::regclass AND attnum > 0`
  const read = async (query: string) => (await client.query(query)).rows[0].found
  const rows = `SELECT json_agg(entry ORDER BY movement_id, account_kind)::text AS found FROM ledger_entries entry`
  const file = (table: string) => `SELECT pg_relation_filenode('${table}') AS found`
  const before = [await read(columns), await read(rows), await read(file('ledger_entries'))]

  await migrateOnce()

  // The file is the same one, so nothing was copied.
  deepEqual([await read(columns), await read(rows), await read(file('ledger_entries_first'))], before)
  await booked('arrival:10')
  await rejects(booked('arrival:10'), /ledger_movements_cause_key/)
  deepEqual(
    await read(`SELECT json_object_agg(inhrelid::regclass, pg_get_expr(relpartbound, inhrelid)) AS found
      FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'ledger_entries'::regclass`),
    { ledger_entries_first: `FOR VALUES FROM (MINVALUE) TO ('80000000')`, ledger_entries_default: 'DEFAULT' },
  )
  equal(await read(`SELECT count(*)::int AS found FROM ledger_entries_first`), 22)
  // Each partition has the rules that the table has, and nothing is left of how it was made.
  const tables = `(SELECT 'ledger_entries'::regclass UNION SELECT inhrelid FROM pg_inherits WHERE inhparent = 'ledger_entries'::regclass)`
  const sorted = (text: string) => `string_agg(${text}, '; ' ORDER BY ${text})`
  for (const [rules, from, owner] of [
    [sorted('pg_get_constraintdef(oid)'), `pg_constraint WHERE contype <> 'n'`, 'conrelid'],
    [sorted('tgname::text'), 'pg_trigger WHERE NOT tgisinternal', 'tgrelid'],
  ] as const) {
    const { rows: found } = await client.query(
      `SELECT ${rules} AS rules FROM ${from} AND ${owner} IN ${tables} GROUP BY ${owner}`,
    )
    equal(found.length, 3)
    equal(new Set(found.map((each) => each.rules)).size, 1, JSON.stringify(found))
  }
})
