import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { cloneTestDatabase, type TestDatabase } from './test-database.ts'

async function on<T>({ url }: TestDatabase, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await act(client)
  } finally {
    await client.end()
  }
}

/** Does something to a database and gives it back. Whether it is kept for the next world; otherwise it is dropped. */
async function isKeptAfter(sql: string, database: TestDatabase): Promise<boolean> {
  await on(database, (client) => client.query(sql))
  await database.drop()
  return on(database, async () => true).catch((error: { code?: string }) => {
    if (error.code === '3D000') return false // there is no such database
    throw error
  })
}

test('a database that is kept has no rows, and counts from one', async () => {
  const written = `INSERT INTO jobs (name, payload, run_at, max_attempts) VALUES ('left over', '{}', now(), 1);
    SELECT nextval(seqrelid) FROM pg_sequence`
  let database = await cloneTestDatabase()
  // While tests of an earlier file still give back theirs, there may be enough.
  for (let tries = 0; !(await isKeptAfter(written, database)); tries += 1) {
    ok(tries < 5, 'it was dropped')
    database = await cloneTestDatabase()
  }
  await on(database, async (client) => {
    deepEqual((await client.query('SELECT FROM jobs')).rowCount, 0)
    const { rows } = await client.query('SELECT count(last_value)::int AS used FROM pg_sequences')
    deepEqual(rows, [{ used: 0 }])
  })
})

for (const [what, sql] of [
  ['a changed column', 'ALTER TABLE jobs ALTER COLUMN payload DROP NOT NULL'],
  ['a trigger that is off', 'ALTER TABLE ledger_entries DISABLE TRIGGER ALL'],
  ['a new table', 'CREATE TABLE left_over (id int)'],
  ['other settings', `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = 1024', current_database()); END $$`],
  ['other contents of a table that migrations fill', 'UPDATE migrations SET applied_at = applied_at'],
] as const) {
  test(`a database with ${what} is dropped`, async () => {
    equal(await isKeptAfter(sql, await cloneTestDatabase()), false)
  })
}
