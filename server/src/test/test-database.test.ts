import { deepEqual, equal, notEqual } from 'node:assert/strict'
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

/** Does something to a database and gives it back, then takes the next one. */
async function nextAfter(sql: string): Promise<{ before: TestDatabase; next: TestDatabase }> {
  const before = await cloneTestDatabase()
  await on(before, (client) => client.query(sql))
  await before.drop()
  return { before, next: await cloneTestDatabase() }
}

test('a database that is used again has no rows, and counts from one', async (t) => {
  const { before, next } = await nextAfter(
    `INSERT INTO jobs (name, payload, run_at, max_attempts) VALUES ('left over', '{}', now(), 1);
     SELECT nextval(seqrelid) FROM pg_sequence`,
  )
  t.after(() => next.drop())
  equal(next.url, before.url)
  await on(next, async (client) => {
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
  test(`a database with ${what} is not used again`, async (t) => {
    const { before, next } = await nextAfter(sql)
    t.after(() => next.drop())
    notEqual(next.url, before.url)
  })
}
