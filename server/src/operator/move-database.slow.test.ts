import { deepEqual, equal, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { readConfig } from '../config.ts'
import { createLog } from '../platform/log.ts'
import { cloneTestDatabase, emptyTestDatabase } from '../test/test-database.ts'
import { compareContents } from './compare-databases.ts'
import { moveDatabase } from './move-database.ts'

const log = createLog('silent')

async function database(t: TestContext, name?: string, create = emptyTestDatabase) {
  const { url, drop } = await create()
  const client = new pg.Client({ connectionString: url, ...(name !== undefined && { application_name: name }) })
  client.on('error', () => {})
  await client.connect()
  t.after(async () => {
    await client.end()
    await drop()
  })
  return { url, client }
}

/** A database that a service has used, with text that COPY has to escape. */
async function usedDatabase(t: TestContext) {
  const source = await database(t, undefined, cloneTestDatabase)
  await source.client.query(`INSERT INTO service_secret (fingerprint) VALUES ('abc')`)
  await source.client.query(
    `INSERT INTO accounts (id, name, handle, author_kind, created_at)
     SELECT gen_random_uuid(), E'tab\\t back\\\\slash\\nline \\u00e9 ' || n, 'user_' || n, 'human', now()
     FROM generate_series(1, 2000) n`,
  )
  await source.client.query(
    `INSERT INTO audit_log (at, act, target_kind, target_id, details) VALUES (now(), 'x.y', 'account', $1, '{"note":"\\\\n"}')`,
    [randomUUID()],
  )
  return source
}

async function configFor(t: TestContext, databaseUrl: string) {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-move-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return readConfig({ DATA_DIR: folder, DATABASE_URL: databaseUrl })
}

test('a moved database has the same rows, sequences and migrations, and works on', async (t) => {
  const [source, target] = [await usedDatabase(t), await database(t)]
  const config = await configFor(t, source.url)
  const seen: string[] = []
  const moved = await moveDatabase(config, {
    to: target.url,
    log,
    onProgress: (done, total, table) => seen.push(`${done}/${total} ${table}`),
  })
  equal(moved.wasThere, false)
  equal(seen.length, 2 * moved.tables)
  const { differences, rows } = await compareContents(source.client, target.client)
  deepEqual([differences, rows], [[], moved.rows])
  // Triggers, constraints and sequences are as they were.
  const again = `INSERT INTO audit_log (at, act, target_kind, target_id) VALUES (now(), 'x.y', 'account', 'y') RETURNING id`
  equal((await target.client.query(again)).rows[0].id, '2')
  await rejects(target.client.query('DELETE FROM audit_log'), /only ever added to/)
  await rejects(
    target.client.query(`INSERT INTO admin_claim (id, used_by) VALUES ($1, $1)`, [randomUUID()]),
    /foreign key/,
  )
  const constraints = 'SELECT conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint ORDER BY 1, 2'
  deepEqual((await target.client.query(constraints)).rows, (await source.client.query(constraints)).rows)
})

test('it refuses a target with anything in it, itself, and a database that is in use', async (t) => {
  const [source, other, busy] = [await usedDatabase(t), await usedDatabase(t), await database(t, 'pennypost worker')]
  const config = await configFor(t, source.url)
  const move = (to: string, from = config) => moveDatabase(from, { to, log })
  await rejects(move(other.url), /The target is not empty: a service has used it/)
  await rejects(move(source.url), /The target is the source/)
  await rejects(move(busy.url), /A service or a command is using the target/)
  await rejects(move(source.url, await configFor(t, busy.url)), /A service or a command is using the source/)
  await rejects(move('postgresql://nobody:secret-word@127.0.0.1:1/x'), (error: Error) => {
    return /Cannot connect to the target/.test(error.message) && !error.message.includes('secret-word')
  })
  await rejects(move('postgresql://nobody:secret#word@127.0.0.1:1/x'), (error: Error) => {
    return /^TARGET_DATABASE_URL: must be a URL like .* in the password, write/.test(error.message)
  })
  const foreign = await database(t)
  await foreign.client.query('CREATE TABLE invoices (id int)')
  await rejects(move(foreign.url), /it has the table invoices/)
  equal((await foreign.client.query(`SELECT to_regclass('migrations') AS found`)).rows[0].found, null)
  const empty = await database(t)
  await rejects(move(foreign.url, await configFor(t, empty.url)), /The source has no tables/)
  await rejects(moveDatabase(readConfig({ DATA_DIR: config.dataDir }), { to: 'embedded', log }), /embedded one already/)
  await rejects(move(empty.url, readConfig({ DATA_DIR: config.dataDir })), /There is no database in/)
})

test('two moves at once: one does it, and the other leaves both databases alone', async (t) => {
  const [source, target] = [await usedDatabase(t), await database(t)]
  const config = await configFor(t, source.url)
  const both = await Promise.allSettled([1, 2].map(() => moveDatabase(config, { to: target.url, log })))
  deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  deepEqual((await compareContents(source.client, target.client)).differences, [])
})

test('a move that was interrupted is done by the next one, and one that was done is recognized', async (t) => {
  const [source, target] = [await usedDatabase(t), await database(t)]
  const config = await configFor(t, source.url)
  for (const step of [40, 150]) {
    const interruption = new AbortController()
    const onProgress = (done: number) => done === step && interruption.abort()
    await rejects(moveDatabase(config, { to: target.url, log, signal: interruption.signal, onProgress }))
    equal((await target.client.query('SELECT FROM accounts')).rowCount, 0)
  }
  equal((await moveDatabase(config, { to: target.url, log })).wasThere, false)
  equal((await moveDatabase(config, { to: target.url, log })).wasThere, true)
  await target.client.query(`UPDATE accounts SET name = 'other' WHERE handle = 'user_7'`)
  await rejects(moveDatabase(config, { to: target.url, log }), /The target is not empty/)
})

test('a row that differs, is missing or is there twice is noticed, and so is a sequence', async (t) => {
  const [source, target] = [await usedDatabase(t), await database(t)]
  await moveDatabase(await configFor(t, source.url), { to: target.url, log })
  const differences = async (change: string) => {
    await target.client.query('BEGIN')
    await target.client.query(change)
    const found = await compareContents(source.client, target.client)
    await target.client.query('ROLLBACK')
    return found.differences
  }
  deepEqual(await differences(`UPDATE accounts SET name = name || '.' WHERE handle = 'user_9'`), [
    'the rows of accounts differ',
  ])
  deepEqual(await differences(`DELETE FROM name_words; DELETE FROM accounts WHERE handle = 'user_9'`), [
    'accounts has 2000 rows and 1999',
    ...(await wordsDiffer(source.client)),
  ])
  deepEqual(await differences(`CREATE TABLE invoices (id int)`), ['their tables differ'])
  await target.client.query(`SELECT setval(pg_get_serial_sequence('audit_log', 'id'), 9)`)
  deepEqual(await differences('SELECT'), ['the sequence audit_log_id_seq is at 1 and 9'])
})

const wordsDiffer = async (client: pg.Client): Promise<string[]> => {
  const { rowCount } = await client.query('SELECT FROM name_words')
  return rowCount === 0 ? [] : [`name_words has ${rowCount} rows and 0`]
}
