import { deepEqual, equal, rejects } from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { openRelay } from '../../test/relay.ts'
import { cloneTestDatabase, emptyTestDatabase } from '../../test/test-database.ts'
import { until } from '../../test/until.ts'
import { createLog } from '../log.ts'
import { openListener } from './listener.ts'

const lock = { classId: 4_242, id: 1 }
const holders = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = ${lock.classId} AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** A listener whose network can be cut, and a connection that cannot. */
async function prepared(t: TestContext) {
  const database = await cloneTestDatabase()
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  // An embedded database listens on a socket in a folder.
  const { host, port, user, password, database: name } = admin as pg.Client & Required<pg.ClientConfig>
  const relay = await openRelay({ target: host.startsWith('/') ? join(host, `.s.PGSQL.${port}`) : port })
  const relayed = `postgresql://${user}:${password}@127.0.0.1:${relay.port}/${name}?sslmode=disable`
  const listener = openListener(relayed, createLog('silent'), { applicationName: 'pennypost test', lock })
  t.after(async () => {
    // First, so that a listener that still waits for a reply gives up.
    relay.close()
    await listener.close()
    await admin.end()
    await database.drop()
  })
  return { admin, relay, listener, url: database.url }
}

test('a lock is taken again after a cut that PostgreSQL has not noticed', async (t) => {
  const { admin, relay, listener } = await prepared(t)
  // The same lock of another service, which has its own database on this server.
  const database = await emptyTestDatabase()
  const neighbour = new pg.Client({ connectionString: database.url })
  neighbour.on('error', () => {})
  await neighbour.connect()
  t.after(async () => {
    await neighbour.end().catch(() => {})
    await database.drop()
  })
  await neighbour.query('SELECT pg_advisory_lock($1, $2)', [lock.classId, lock.id])
  await listener.connected()
  const [before] = (await admin.query(holders)).rows
  relay.cut()
  await rejects(listener.query({ text: 'SELECT' }), /timeout/)
  equal((await admin.query(holders)).rows[0].pid, before.pid)
  await relay.heal({ forgets: true })
  await until('another session has the lock', async () => {
    const [after] = (await admin.query(holders)).rows
    return after && after.pid !== before.pid
  })
  equal((await neighbour.query(holders)).rowCount, 1)
})

test('after a loss every channel is listened to again, and its listeners learn that they may have missed something', async (t) => {
  const { admin, listener } = await prepared(t)
  const heard: Record<string, (string | undefined)[]> = { first: [], second: [] }
  const hears = (channel: string) => listener.on(channel, (payload) => void heard[channel]!.push(payload))
  hears('first')
  await until('it is connected', () => heard.first!.length === 1)
  // Added while it is connected.
  hears('second')
  await until('it listens to both', () => heard.second!.length === 1)
  const [{ pid }] = (await admin.query(holders)).rows
  await admin.query('SELECT pg_terminate_backend($1)', [pid])
  await until('it is connected again', () => heard.first!.length === 2 && heard.second!.length === 2)
  await admin.query(`NOTIFY first, 'one'; NOTIFY second, 'two'`)
  await until('both are heard', () => heard.first!.length === 3 && heard.second!.length === 3)
  deepEqual(heard, { first: [undefined, undefined, 'one'], second: [undefined, undefined, 'two'] })
})

test('a listener whose network is cut can be closed', { timeout: 60_000 }, async (t) => {
  const { relay, listener } = await prepared(t)
  await listener.connected()
  relay.cut()
  await listener.close()
})

test('a connection that falls silent while it waits for its lock is given up', { timeout: 120_000 }, async (t) => {
  const { admin, relay, listener, url } = await prepared(t)
  const before = new pg.Client({ connectionString: url })
  before.on('error', () => {})
  await before.connect()
  await before.query('SELECT pg_advisory_lock($1, $2)', [lock.classId, lock.id])
  const connecting = rejects(listener.connected(), /timeout/)
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ${lock.classId} AND NOT granted`
  await until('it waits for its lock', async () => (await admin.query(waiting)).rowCount === 1)
  relay.cut()
  await connecting
  await relay.heal({ forgets: true })
  await until('it is connected', () =>
    listener.connected().then(
      () => true,
      () => false,
    ),
  )
  await before.end().catch(() => {})
})
