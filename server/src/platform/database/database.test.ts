import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { cloneTestDatabase } from '../../test/test-database.ts'
import { createWorld } from '../../test/world.ts'
import { createLog } from '../log.ts'
import { type DatabaseOptions, inAnyOrder, isDatabaseUnavailable, oneOf, openDatabase, type Tx } from './database.ts'

const failing = (message: string, more: object = {}) => Object.assign(new Error(message), more)

test('errors of an unavailable database are told apart from errors of a query', () => {
  const away = [
    failing('connect', { code: 'ECONNREFUSED', syscall: 'connect' }),
    failing('socket gone', { code: 'ENOENT', syscall: 'connect' }),
    failing('write', { code: 'EPIPE', syscall: 'write' }),
    ...['08006', '57P01', '57P03', '53300', '57014', '40P01', '40001', '25006'].map((code) =>
      failing('state', { code }),
    ),
    failing('timeout exceeded when trying to connect'),
    failing('Connection terminated unexpectedly'),
    failing('Query read timeout'),
    failing('Client has encountered a connection error and is not queryable'),
  ]
  for (const error of away)
    equal(isDatabaseUnavailable(error), true, `${error.message} ${(error as { code?: string }).code}`)
  const wrong = [
    failing('a file', { code: 'ENOENT', syscall: 'open' }),
    ...['23505', '22P02', '42703', '22021'].map((code) => failing('state', { code })),
    failing('anything else'),
    'a text',
  ]
  for (const error of wrong) equal(isDatabaseUnavailable(error), false, String(error))
})

test('a prepared statement whose columns a migration changed is prepared again', async (t) => {
  const { pool } = (await createWorld(t)).services
  await pool.query('CREATE TABLE changing (id int)')
  const statement = { name: 'read-changing', text: 'SELECT * FROM changing' }
  // Every connection has prepared it.
  await Promise.all(Array.from({ length: 60 }, () => pool.query(statement)))
  await pool.query('ALTER TABLE changing ADD COLUMN added int')
  for (const { fields } of await Promise.all(Array.from({ length: 60 }, () => pool.query(statement))))
    equal(fields.length, 2)
})

test('a statement that comes often in transactions is planned once, unless it reads all columns', async () => {
  const database = await cloneTestDatabase()
  const { db, close } = openDatabase(database.url, createLog('silent'), { connections: 1 })
  try {
    await sql`CREATE TABLE often (id int)`.execute(db)
    const read = sql`SELECT id FROM often WHERE id < ${1}`
    const inTransaction = () =>
      db.transaction().execute(async (tx) => {
        await read.execute(tx)
        await sql`SELECT * FROM often WHERE id < ${1}`.execute(tx)
        await sql`SELECT often.* FROM often WHERE id < ${1}`.execute(tx)
      })
    for (let time = 0; time < 20; time += 1) {
      await inTransaction()
      await sql`SELECT 1 FROM often WHERE id < ${1}`.execute(db)
    }
    const { rows } = await sql`
      SELECT statement FROM pg_prepared_statements WHERE statement LIKE '% FROM often WHERE%'`.execute(db)
    deepEqual(rows, [{ statement: 'SELECT id FROM often WHERE id < $1' }])
    // A connection whose plan is outdated is replaced.
    await sql`ALTER TABLE often ALTER COLUMN id TYPE bigint`.execute(db)
    await rejects(inTransaction(), isDatabaseUnavailable)
    await inTransaction()
  } finally {
    await close()
    await database.drop()
  }
})

test('parts of a transaction have all ended when one has failed, and the error is the one that failed them', async (t) => {
  const { db } = (await createWorld(t)).services
  const one = sql<{ one: number }>`SELECT 1 AS one`
  const [first, second] = await db.transaction().execute((tx) => inAnyOrder(one.execute(tx), Promise.resolve('b')))
  deepEqual([first.rows, second], [[{ one: 1 }], 'b'])
  let ended = 0
  const twice = async (tx: Tx, statement: RawBuilder<unknown>) => {
    try {
      await one.execute(tx)
      await statement.execute(tx)
      await one.execute(tx)
    } finally {
      ended += 1
    }
  }
  const failing = db
    .transaction()
    .execute((tx) => inAnyOrder(twice(tx, one), twice(tx, sql`SELECT 1 / 0`), twice(tx, one)))
  // The first part fails too, because the transaction has: what is reported is why.
  await rejects(failing, { code: '22012' })
  equal(ended, 3)
})

test('the plan of a statement about one id is kept, and about several it finds them all', async () => {
  const database = await cloneTestDatabase()
  const { db, close } = openDatabase(database.url, createLog('silent'), { connections: 1 })
  try {
    const ids = ['1', '2', '3'].map((digit) => `${digit.repeat(8)}-1111-4111-8111-111111111111`)
    await sql`CREATE TABLE often AS SELECT unnest(${ids}::uuid[]) AS id`.execute(db)
    const find = (wanted: readonly string[]) =>
      db
        .transaction()
        .execute(async (tx) => (await sql`SELECT id FROM often WHERE id ${oneOf(wanted)}`.execute(tx)).rows)
    for (let time = 0; time < 20; time += 1) deepEqual(await find([ids[1]!]), [{ id: ids[1] }])
    const { rows } = await sql<{ generic_plans: string }>`
      SELECT generic_plans FROM pg_prepared_statements WHERE statement LIKE '% FROM often WHERE%'`.execute(db)
    equal(Number(rows[0]!.generic_plans) > 0, true)
    deepEqual([await find(ids), await find([])], [ids.map((id) => ({ id })), []])
  } finally {
    await close()
    await database.drop()
  }
})

test('a connection without a reply is removed from the pool', async (t) => {
  const { services } = await createWorld(t)
  const { db, pool } = services
  const pidOf = async () => (await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db)).rows[0]!.pid
  const before = await pidOf()
  equal(await pidOf(), before)
  const client = await pool.connect()
  const query = t.mock.method(client, 'query', () => Promise.reject(new Error('Query read timeout')))
  client.release()
  await sql`SELECT 1`.execute(db).catch(() => {})
  equal(query.mock.callCount(), 1)
  equal((await pidOf()) === before, false)
})

test('a statement has ten seconds, unless the database was opened without time limits', async () => {
  const database = await cloneTestDatabase()
  const limitOf = async (options?: DatabaseOptions) => {
    const { pool, close } = openDatabase(database.url, createLog('silent'), options)
    const { rows } = await pool.query('SHOW statement_timeout')
    await close()
    return rows[0].statement_timeout
  }
  try {
    deepEqual([await limitOf(), await limitOf({ withoutTimeLimits: true })], ['10s', '0'])
  } finally {
    await database.drop()
  }
})
