import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { migrationsFolder } from '../../service.ts'
import { emptyTestDatabase } from '../../test/test-database.ts'
import { until } from '../../test/until.ts'
import { createLog, type Log } from '../log.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

const log = createLog('silent')

/** With a copy of our migrations, or with the first of them alone. */
async function emptyDatabase(t: TestContext, { isBare = false } = {}) {
  const database = await emptyTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-migrations-'))
  const first = '0001-platform.sql'
  if (isBare) await cp(join(migrationsFolder, first), join(folder, first))
  else await cp(migrationsFolder, folder, { recursive: true })
  const pools: { close(): Promise<void> }[] = []
  t.after(async () => {
    for (const pool of pools) await pool.close()
    await database.drop()
    await rm(folder, { recursive: true })
  })
  return {
    url: database.url,
    folder,
    open() {
      const opened = openDatabase(database.url, log)
      pools.push(opened)
      return opened.pool
    },
  }
}

const applied = async (pool: pg.Pool) =>
  (await pool.query('SELECT name FROM migrations ORDER BY name')).rows.map((row) => row.name)

test('of several processes that migrate at the same time, one does the work', async (t) => {
  const { open, folder, url } = await emptyDatabase(t)
  await Promise.all([1, 2, 3, 4].map(() => migrate(url, folder, log)))
  deepEqual((await applied(open())).slice(0, 2), ['0001-platform.sql', '0002-accounts.sql'])
})

test('a role that does not own the database learns who should', async (t) => {
  const { open, folder, url } = await emptyDatabase(t)
  const pool = open()
  // Roles belong to the whole server, where this file may run several times at once.
  const role = `no owner ${process.pid}`
  await pool.query(`CREATE ROLE "${role}" LOGIN PASSWORD 'secret'`)
  const asRole = url.replace(/\/\/[^@]*@/, `//${encodeURIComponent(role)}:secret@`)
  await rejects(migrate(asRole, folder, log), {
    name: 'StartError',
    message:
      /^DATABASE_URL: the role may not create tables; make it the owner: ALTER DATABASE \S+ OWNER TO "no owner \d+"$/,
  })
  await pool.query(`DROP ROLE "${role}"`)
})

test('a failed migration is rolled back, and the error names it', async (t) => {
  const { open, folder, url } = await emptyDatabase(t)
  const pool = open()
  await writeFile(join(folder, '9999-broken.sql'), 'CREATE TABLE half (id int); SELECT 1/0;')
  await rejects(migrate(url, folder, log), /migration 9999-broken\.sql failed: division by zero/)
  equal((await pool.query(`SELECT to_regclass('half') AS half`)).rows[0].half, null)
  await writeFile(join(folder, '9999-broken.sql'), 'CREATE TABLE half (id int)')
  await migrate(url, folder, log)
  equal((await pool.query(`SELECT to_regclass('half') AS half`)).rows[0].half, 'half')
})

test('a migration whose connection is cut is rolled back, and applied by the next start', async (t) => {
  const { open, folder, url } = await emptyDatabase(t)
  await writeFile(join(folder, '9999-slow.sql'), 'CREATE TABLE slow (id int); SELECT pg_sleep(30);')
  const migrating = rejects(migrate(url, folder, log))
  const killer = new pg.Client({ connectionString: url })
  await killer.connect()
  for (let killed = 0; killed === 0; ) {
    const { rows } = await killer.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid() AND datname = current_database()`,
    )
    killed = rows.length
  }
  await killer.end()
  await migrating
  await writeFile(join(folder, '9999-slow.sql'), 'CREATE TABLE slow (id int)')
  const again = open()
  await migrate(url, folder, log)
  match((await applied(again)).join(), /9999-slow\.sql/)
})

test('the previous version works until an update is finished, and not afterwards', async (t) => {
  const { open, folder, url } = await emptyDatabase(t, { isBare: true })
  const pool = open()
  await migrate(url, folder, log)
  const record = (name: string) => pool.query(`INSERT INTO migrations (name, applied_at) VALUES ($1, now())`, [name])
  await record('9000-future.sql')
  const warnings: string[] = []
  const warn = (_fields: object, text: string) => void warnings.push(text)
  await migrate(url, folder, { ...log, warn } as unknown as Log)
  match(warnings.join(), /being updated to a newer version/)
  await record('9001-future.post.sql')
  await rejects(migrate(url, folder, log), /newer than this version: it has migration 9001-future\.post\.sql/)
})

test('migrations that end an update wait for a start without others a day later, or for the operator', async (t) => {
  const { open, folder, url } = await emptyDatabase(t, { isBare: true })
  const pool = open()
  await migrate(url, folder, log)
  const last = async () => (await applied(pool)).filter((name: string) => name.startsWith('9'))
  await writeFile(join(folder, '9000-more.sql'), 'CREATE TABLE more (id int)')
  await writeFile(join(folder, '9001-less.post.sql'), 'DROP TABLE more')
  deepEqual(await migrate(url, folder, log), ['9001-less.post.sql'])
  deepEqual(await last(), ['9000-more.sql'])
  // A new version that crashes and is started again does not take the way back away.
  deepEqual(await migrate(url, folder, log), ['9001-less.post.sql'])
  const aDayLater = () => pool.query(`UPDATE migrations SET applied_at = applied_at - interval '25 hours'`)
  await aDayLater()

  // Another process runs, which may be of the previous version.
  const other = new pg.Client({ connectionString: url, application_name: 'pennypost listener' })
  await other.connect()
  deepEqual(await migrate(url, folder, log), ['9001-less.post.sql'])
  await writeFile(join(folder, '9002-next.sql'), 'CREATE TABLE next (id int)')
  await rejects(migrate(url, folder, log), /the previous update is not finished: migration 9001-less\.post\.sql waits/)
  deepEqual(await migrate(url, folder, log, { finish: true }), [])
  deepEqual(await last(), ['9000-more.sql', '9001-less.post.sql', '9002-next.sql'])

  await writeFile(join(folder, '9003-even-less.post.sql'), 'DROP TABLE next')
  await aDayLater()
  deepEqual(await migrate(url, folder, log), ['9003-even-less.post.sql'])
  await other.end()
  await until('the other process is gone', async () => (await migrate(url, folder, log)).length === 0)
  deepEqual((await last()).at(-1), '9003-even-less.post.sql')
})

test('a new database gets all migrations at once', async (t) => {
  const { open, folder, url } = await emptyDatabase(t, { isBare: true })
  await writeFile(join(folder, '9001-less.post.sql'), 'CREATE TABLE less (id int)')
  deepEqual(await migrate(url, folder, log), [])
  equal((await applied(open())).at(-1), '9001-less.post.sql')
})

test('a database that applied renumbered migrations under their old names is not migrated twice', async (t) => {
  const { open, folder, url } = await emptyDatabase(t)
  const pool = open()
  await migrate(url, folder, log)
  const current = await applied(pool)
  const before = (await pool.query('SELECT name, applied_at FROM migrations ORDER BY name')).rows
  for (const [oldName, newName] of [
    ['0025-earnings-and-feeds.sql', '0023-earnings-and-feeds.sql'],
    ['0029-catalog-mended-at-once.sql', '0024-catalog-triggers.sql'],
    ['0030-what-readers-keep.sql', '0025-reader-library.sql'],
  ]) {
    const { rowCount } = await pool.query('UPDATE migrations SET name = $1 WHERE name = $2', [oldName, newName])
    equal(rowCount, 1)
  }
  await migrate(url, folder, log)
  deepEqual(await applied(pool), current)
  deepEqual((await pool.query('SELECT name, applied_at FROM migrations ORDER BY name')).rows, before)
})

test('a migration does not wait behind a reader and hold up the others; it tries again', async (t) => {
  const { open, folder, url } = await emptyDatabase(t)
  await migrate(url, folder, log)
  const pool = open()
  await writeFile(join(folder, '9999-locked.sql'), 'ALTER TABLE accounts ADD COLUMN new_column text;')
  const reader = await pool.connect()
  await reader.query('BEGIN; SELECT 1 FROM accounts')
  let warned = 0
  const warn = () => {
    warned += 1
  }
  const migrated = migrate(url, folder, { ...log, warn } as unknown as Log)
  await until('it was tried', () => warned > 0)
  await pool.query('SELECT 1 FROM accounts')
  await reader.query('COMMIT')
  reader.release()
  await migrated
  equal((await applied(pool)).at(-1), '9999-locked.sql')
})

test('of a request and a migration that wait for each other, the migration gives up', async (t) => {
  const { open, folder, url } = await emptyDatabase(t)
  await migrate(url, folder, log)
  const pool = open()
  const accountId = '00000000-0000-4000-8000-000000000001'
  await pool.query(`INSERT INTO accounts (id, name, handle, created_at) VALUES ($1, 'Ada', 'ada', now())`, [accountId])
  await writeFile(
    join(folder, '9999-two-tables.sql'),
    `ALTER TABLE posts ADD COLUMN new_column text;
     DO $$ BEGIN WHILE NOT pg_try_advisory_xact_lock(42) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$;
     ALTER TABLE accounts ADD COLUMN new_column text;`,
  )
  const isWaiting = async (waitEventType: string, query: string) => {
    const found = await pool.query(
      'SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = $1 AND query LIKE $2',
      [waitEventType, query],
    )
    return found.rowCount === 1
  }
  const gate = await pool.connect()
  await gate.query('SELECT pg_advisory_lock(42)')
  const request = await pool.connect()
  await request.query('BEGIN')
  await request.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [accountId])
  const migrated = migrate(url, folder, log)
  await until('the migration has the first table', () => isWaiting('Timeout', 'ALTER TABLE posts%'))
  const inserted = request.query(
    `INSERT INTO posts (id, account_id, slug, title, renderer_version, created_at, updated_us)
     VALUES (gen_random_uuid(), $1, 'engines', 'On engines', 1, now(), 1)`,
    [accountId],
  )
  await until('the request waits for it', () => isWaiting('Lock', 'INSERT INTO posts%'))
  // Now the migration wants the second table, which the request has.
  await gate.query('SELECT pg_advisory_unlock(42)')
  gate.release()
  const outcome = await inserted.then(({ rowCount }) => rowCount, String)
  await request.query('COMMIT')
  request.release()
  await migrated
  equal(outcome, 1)
  equal((await applied(pool)).at(-1), '9999-two-tables.sql')
})

test('without PostgreSQL the start says which setting to look at', async () => {
  await rejects(migrate('postgresql://nobody@127.0.0.1:1/none', migrationsFolder, log), {
    name: 'StartError',
    message: /^DATABASE_URL: cannot connect to PostgreSQL: .*ECONNREFUSED/,
  })
})

// The first release that has to run beside the one before it. Older files are exempt.
const firstExpanding = 40
const marked = /^-- Contracts (\d{4}-[a-z0-9-]+\.sql)/m

/** What a process of the previous version could not live with. */
function breaks(sql: string): string[] {
  // Without the digits of numeric(39, 0), whose comma does not separate columns.
  const text = sql.replace(/--.*$/gm, '').replaceAll(/\(\d+(,\s*\d+)?\)/g, '')
  const rules: [RegExp, string][] = [
    [
      /\bDROP\s+(TABLE|VIEW|FUNCTION)\b|\bALTER\s+TABLE\b[^;]*\bDROP\s+(?!CONSTRAINT\b|DEFAULT\b|NOT\b)\w/i,
      'drops what the previous version may use',
    ],
    [/\bALTER\s+(COLUMN\s+)?\w+\s+(SET\s+DATA\s+)?TYPE\b/i, 'changes the type of a column'],
    [/\bSET\s+NOT\s+NULL\b/i, 'requires what the previous version does not write'],
    [
      /\bADD\s+(?!CONSTRAINT\b|CHECK\b)(?![^,;]*\bDEFAULT\b)[^,;]*\bNOT\s+NULL\b/i,
      'adds a required column without a default',
    ],
  ]
  const broken = rules.filter(([rule]) => rule.test(text)).map(([, reason]) => reason)
  return renames(text) ? [...broken, 'renames what the previous version may use'] : broken
}

/** A table or index that the same file makes again is not missed: the previous version uses the new one. */
function renames(text: string): boolean {
  const left = text.replaceAll(/\bALTER\s+(?:TABLE|INDEX)\s+(\w+)\s+RENAME\s+TO\b/gi, (found, name: string) =>
    new RegExp(`\\b(CREATE\\s+(TABLE|INDEX)|CONSTRAINT)\\s+${name}\\b`, 'i').test(text) ? '' : found,
  )
  return /\bRENAME\b/i.test(left)
}

test('what the previous version could not live with is found, and nothing else', () => {
  for (const harmless of [
    'ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT 1, ADD COLUMN c text; DROP INDEX i; -- DROP TABLE',
    'ALTER TABLE a ADD COLUMN b numeric(39, 0) NOT NULL DEFAULT 0, ADD CONSTRAINT d CHECK (c IS NOT NULL)',
    'ALTER TABLE a DROP CONSTRAINT b, ALTER COLUMN c DROP NOT NULL, ALTER COLUMN c DROP DEFAULT',
    'ALTER TABLE a RENAME TO b; CREATE TABLE a (id int)',
    'ALTER INDEX a RENAME TO b; CREATE INDEX a ON c (id)',
    'ALTER INDEX a RENAME TO b; CREATE TABLE c (id int, CONSTRAINT a PRIMARY KEY (id))',
  ])
    deepEqual(breaks(harmless), [], harmless)
  const harmful: [string, RegExp][] = [
    ['DROP TABLE a', /^drops/],
    ['DROP VIEW a', /^drops/],
    ['DROP FUNCTION a()', /^drops/],
    ['ALTER TABLE a DROP COLUMN b', /^drops/],
    ['ALTER TABLE a ADD COLUMN b text, DROP c', /^drops/],
    ['ALTER TABLE a ADD COLUMN b text, ADD COLUMN c text NOT NULL', /^adds a required/],
    ['ALTER TABLE a ADD COLUMN b text NOT NULL, ADD COLUMN c text NOT NULL DEFAULT 1', /^adds a required/],
    ['ALTER TABLE a ADD COLUMN IF NOT EXISTS b numeric(39, 0) NOT NULL', /^adds a required/],
    ['ALTER TABLE a ADD b text NOT NULL', /^adds a required/],
    ['ALTER TABLE a ALTER COLUMN b SET NOT NULL', /^requires/],
    ['ALTER TABLE a ALTER COLUMN b TYPE bigint', /^changes the type/],
    ['ALTER TABLE a ALTER b SET DATA TYPE bigint', /^changes the type/],
    ['ALTER TABLE a RENAME COLUMN b TO c', /^renames/],
    ['ALTER TABLE a RENAME COLUMN b TO c; CREATE TABLE a (id int)', /^renames/],
    ['ALTER TABLE a RENAME TO b; CREATE TABLE c (id int)', /^renames/],
    ['ALTER TABLE a RENAME TO b; CREATE TABLE a (id int); ALTER TABLE c RENAME TO d', /^renames/],
  ]
  for (const [sql, reason] of harmful) {
    const found = breaks(sql)
    equal(found.length, 1, sql)
    match(found[0]!, reason, sql)
  }
  equal(breaks('ALTER TABLE a RENAME COLUMN b TO c; ALTER TABLE a DROP COLUMN d').length, 2)
})

test('a migration can run beside the previous version, unless it contracts what an earlier one expanded', async () => {
  const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).sort()
  for (const name of names.filter((each) => Number(each.slice(0, 4)) >= firstExpanding)) {
    const sql = await readFile(join(migrationsFolder, name), 'utf8')
    const expanded = marked.exec(sql)?.[1]
    if (expanded !== undefined && names.includes(expanded) && expanded < name) continue
    deepEqual(breaks(sql), [], `${name}: expand first, contract in a later release (see CONTRIBUTING.md)`)
  }
})

test('migrations are numbered without gaps', async () => {
  const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).sort()
  deepEqual(
    names.map((name) => Number(name.slice(0, 4))),
    names.map((_, index) => index + 1),
  )
})
