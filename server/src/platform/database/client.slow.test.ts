import { equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { createPost, listPosts } from '@pennypost/contract/posts'
import { startPostgresPair } from '../../test/postgres-pair.ts'
import { folderFor, publishingKey, RemotePerson, startProcess } from '../../test/service-process.ts'
import { until } from '../../test/until.ts'
import { createLog } from '../log.ts'
import { createClient } from './client.ts'
import { isDatabaseUnavailable, openDatabase } from './database.ts'

test('connections go to the host that takes writes, and to the other when it takes over', async (t) => {
  const pair = await startPostgresPair(t)
  // The standby first: the order in the URL does not matter.
  const url = pair.url.replace(/@([^,]+),([^/]+)\//, '@$2,$1/')
  const { pool, close } = openDatabase(url, createLog('silent'))
  t.after(close)
  await pool.query('CREATE TABLE kept (value int)')
  await pool.query('INSERT INTO kept VALUES (1)')
  await pair.killPrimary()
  await rejects(pool.query('INSERT INTO kept VALUES (2)'), isDatabaseUnavailable)
  await until('no host takes writes', async () => {
    const error = await pool.query('SELECT').catch((error: Error) => error)
    ok(isDatabaseUnavailable(error))
    return /no host of the database takes writes \(.*(ECONNREFUSED.*standby|standby.*ECONNREFUSED)/.test(String(error))
  })
  await pair.promote()
  await pool.query('INSERT INTO kept VALUES (3)')
  const { rows } = await pool.query<{ all: string }>(
    "SELECT string_agg(value::text, ',' ORDER BY value) AS all FROM kept",
  )
  equal(rows[0]!.all, '1,3')
})

test('a connection whose server has become read-only is not used again', async (t) => {
  const pair = await startPostgresPair(t)
  const { db, pool, close } = openDatabase(pair.url, createLog('silent'), { connections: 2 })
  t.after(close)
  await pool.query('CREATE TABLE kept (value int)')
  const admin = createClient({ connectionString: pair.urls[0] })
  // It ends with the server.
  admin.on('error', () => {})
  await admin.connect()
  t.after(() => admin.end())
  const insert = () =>
    db
      .insertInto('kept' as never)
      .values({ value: 1 } as never)
      .execute()
  await insert()
  await admin.query('ALTER DATABASE pennypost SET default_transaction_read_only = on')
  const { rows } = await admin.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'pennypost'",
  )
  equal(rows.length, 1)
  // New connections see the setting; what is open keeps its own until it is closed.
  await pool.query('SET default_transaction_read_only = on')
  await rejects(insert(), /read-only/)
  await admin.query('SET default_transaction_read_only = off')
  await admin.query('ALTER DATABASE pennypost RESET default_transaction_read_only')
  await insert()
})

test('the service goes on when the standby takes over, and has everything that it acknowledged', async (t) => {
  const pair = await startPostgresPair(t)
  const running = await startProcess(t, {
    DATABASE_URL: pair.url,
    DATA_DIR: await folderFor(t),
    NODE_ENV: 'development',
  })
  ok(running.output().includes('Pennypost is ready'), running.output())
  const author = new RemotePerson(running, await publishingKey(running.origin))
  const write = async (title: string) => (await author.sends(createPost, { body: { title } })).status
  equal(await write('Kept'), 201)
  await pair.killPrimary()
  equal(await write('Lost'), 503)
  await pair.promote()
  await until('writing works again', async () => (await write('New')) === 201)
  const titles = JSON.stringify((await author.sends(listPosts, { query: {} })).body)
  ok(titles.includes('Kept') && titles.includes('New') && !titles.includes('Lost'), titles)
  await until('the service is ready', async () => (await fetch(`${running.origin}/readyz`)).status === 200)
})
