import { deepEqual, equal, rejects } from 'node:assert/strict'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { migrationsFolder } from '../../service.ts'
import { cloneTestDatabase, emptyTestDatabase } from '../../test/test-database.ts'
import { createLog } from '../log.ts'
import { type Dump, dumpDatabase, loadDatabase } from './dump.ts'
import type { Bytes } from './encryption.ts'
import { listTables } from './tables.ts'

async function connect(t: TestContext, { url, drop }: { url: string; drop(): Promise<void> }): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.after(async () => {
    await client.end()
    await drop()
  })
  return client
}

/** A ledger with movements in the first partition, in the second one and, because that was late, in the default one. */
const ledger = `
  SELECT setval(pg_get_serial_sequence('ledger_movements', 'id'), 20000000);
  SELECT make_partitions();
  WITH movement AS (
    INSERT INTO ledger_movements (id, asset, kind, cause, at) OVERRIDING SYSTEM VALUE
    SELECT id, 'XNO', 'arrival', 'arrival:' || id, now() FROM unnest(ARRAY[1, 20000000, 49382712, 93827156]) id RETURNING id)
  INSERT INTO ledger_entries SELECT id, kind, 'a', amount FROM movement, (VALUES ('chain', 7), ('order', -7)) AS entry(kind, amount);
  SELECT setval(pg_get_serial_sequence('ledger_movements', 'id'), 93827156)`

const places = async (client: pg.Client): Promise<unknown[]> =>
  (
    await client.query(
      'SELECT movement_id::int AS id, tableoid::regclass::text AS place, count(*)::int AS entries FROM ledger_entries GROUP BY 1, 2 ORDER BY 1',
    )
  ).rows.map(({ id, place, entries }) => [id, place, entries])

async function bytesOf(bytes: Bytes): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

test('a backup has a table with partitions once, and a restore divides its rows again', async (t) => {
  const source = await connect(t, await cloneTestDatabase())
  await source.query(ledger)
  deepEqual(await places(source), [
    [1, 'ledger_entries_first', 2],
    [20_000_000, 'ledger_entries_first', 2],
    [49_382_712, 'ledger_entries_from_40000000', 2],
    [93_827_156, 'ledger_entries_default', 2],
  ])
  const parts = new Map<string, Buffer>()
  const dump = await dumpDatabase(source, async (part, rows) => void parts.set(part, await bytesOf(rows)))
  deepEqual(
    dump.tables.filter(({ name }) => name.startsWith('ledger_')).map(({ name, rows }) => [name, rows]),
    [
      ['ledger_entries', 8],
      ['ledger_movements', 4],
    ],
  )

  // The previous version has no idea of partitions: it writes each of them as a table.
  const entries = dump.tables.find(({ name }) => name === 'ledger_entries')!
  const ofPartition = async (name: string): Promise<Dump['tables'][number]> => {
    const { rows } = await source.query(`SELECT * FROM ${name} ORDER BY 1, 2`)
    const lines = rows.map((row) => `${entries.columns.map((column) => row[column]).join('\t')}\n`)
    parts.set(name, gzipSync(lines.join('')))
    return { ...entries, name, rows: rows.length, part: name }
  }
  const partitions = ['ledger_entries_default', 'ledger_entries_first', 'ledger_entries_from_40000000']
  const older: Dump = {
    ...dump,
    tables: [
      ...dump.tables.filter((table) => table !== entries),
      ...(await Promise.all(partitions.map((name) => ofPartition(name)))),
    ],
  }

  for (const made of [dump, older]) {
    const database = await emptyTestDatabase()
    const read = (part: string): Bytes => Readable.from([parts.get(part)!])
    await loadDatabase(database.url, { dump: made, read, migrationsFolder, log: createLog('silent') })
    const target = await connect(t, database)
    deepEqual(await places(target), [
      [1, 'ledger_entries_first', 2],
      [20_000_000, 'ledger_entries_first', 2],
      [49_382_712, 'ledger_entries_from_40000000', 2],
      [93_827_156, 'ledger_entries_from_80000000', 2],
    ])
    deepEqual(await listTables(target), await listTables(source))
    equal((await target.query('SELECT make_partitions() AS made')).rows[0].made, 0)
    for (const table of ['ledger_entries', 'ledger_entries_first', 'ledger_entries_from_80000000']) {
      await rejects(target.query(`DELETE FROM ${table}`), /is only ever added to/)
      await rejects(target.query(`TRUNCATE ${table}`), /is only ever added to/)
    }
    await rejects(
      target.query(`INSERT INTO ledger_entries VALUES (93827156, 'house', 'house', 1)`),
      /is not balanced: 1/,
    )
    await rejects(target.query(`INSERT INTO ledger_entries VALUES (2, 'house', 'house', 1)`), /movement_id_fkey/)
  }
})
