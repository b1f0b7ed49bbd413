import { deepEqual, ok, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type pg from 'pg'
import { pino } from 'pino'
import { readConfig } from '../../config.ts'
import { systemClock } from '../../platform/clock.ts'
import { createClosers } from '../../platform/closers.ts'
import { type Db, openDatabase } from '../../platform/database/database.ts'
import { createLog } from '../../platform/log.ts'
import { ReadinessProblem } from '../../platform/readiness.ts'
import { keyringFrom } from '../../rails/nano/custody/keyring.ts'
import { verifyKeyring } from '../../rails/nano/custody/open-keyring.ts'
import { connectSigner } from '../../rails/signer/signer-client.ts'
import { createSignerMonitor } from '../../rails/signer/signer-monitor.ts'
import { freePort } from '../../test/free-port.ts'
import { folderFor } from '../../test/service-process.ts'
import { cloneTestDatabase } from '../../test/test-database.ts'
import { openSigner } from './open-signer.ts'

const [ours, another] = ['the-secret-of-our-processes-0001', 'the-secret-of-another-signer-002']
const silent = createLog('silent')

async function databaseFor(t: TestContext) {
  const { url, drop } = await cloneTestDatabase()
  const { db, pool, close } = openDatabase(url, silent)
  t.after(async () => {
    await close()
    await drop()
  })
  return { url, db, pool }
}

type Queryable = Pick<pg.Pool, 'query'>

/** A monitor with our secret, and what it logs. */
function monitorOf(t: TestContext, url: string, { db, pool }: { db: Db; pool: Queryable }) {
  const lines: string[] = []
  const write = (line: string) => {
    const { level, msg } = JSON.parse(line)
    lines.push(`${pino.levels.labels[level]}: ${msg}`)
  }
  const client = connectSigner({ url, secret: ours! }, { clock: systemClock(), log: silent })
  const monitor = createSignerMonitor({ signer: client, db, pool, log: pino({ level: 'info' }, { write }) })
  t.after(() => monitor.stop())
  const fails = (message: string) => rejects(monitor.check(), new ReadinessProblem(message))
  return { client, monitor, fails, logged: () => lines.splice(0) }
}

const newSeed = () => randomBytes(32).toString('hex')

async function signerFor(t: TestContext, databaseUrl: string, port: number, seed = newSeed()) {
  const settings = {
    ROLE: 'signer',
    DATABASE_URL: databaseUrl,
    DATA_DIR: await folderFor(t),
    NANO_SEED: seed,
    NANO_RPC_URL: 'http://127.0.0.1:1',
    NANO_NETWORK: 'dev',
  }
  return async (secret: string) => {
    const closers = createClosers({ hangMs: 5_000, onFailure: () => {} })
    const config = readConfig({ ...settings, SIGNER_SECRET: secret })
    const server = await openSigner(config, silent, { databaseUrl, closers, dependencies: [] })
    await server.listen({ host: '127.0.0.1', port })
    let isOpen = true
    const stop = async () => {
      if (isOpen) await server.close().then(() => closers.closeAll())
      isOpen = false
    }
    t.after(stop)
    return stop
  }
}

test('the cause is known, also while the circuit breaker is open, and the log has each change once', async (t) => {
  const database = await databaseFor(t)
  const port = await freePort()
  const startSigner = await signerFor(t, database.url, port)
  const { client, monitor, fails, logged } = monitorOf(t, `http://127.0.0.1:${port}`, database)
  await fails('SIGNER_URL: no reply')
  for (let time = 0; time < 3; time += 1) await rejects(client.addressesOf([]))
  ok(client.isAway())
  await fails('SIGNER_URL: no reply')
  deepEqual(logged(), ['warn: the signer cannot be used: SIGNER_URL: no reply'])
  const stop = await startSigner(another!)
  for (let time = 0; time < 3; time += 1) await fails('SIGNER_SECRET: the signer has another one')
  deepEqual(logged(), ['warn: the signer cannot be used: SIGNER_SECRET: the signer has another one'])
  await stop()
  await startSigner(ours!)
  await Promise.all([monitor.check(), monitor.check()])
  await monitor.check()
  deepEqual(logged(), ['info: the signer can be used again'])
})

test('a signer of another database is not ours', async (t) => {
  const [its, used, unused] = [await databaseFor(t), await databaseFor(t), await databaseFor(t)]
  const port = await freePort()
  await (await signerFor(t, its.url, port))(ours!)
  await verifyKeyring(used.db, keyringFrom(newSeed()))
  const url = `http://127.0.0.1:${port}`
  await monitorOf(t, url, used).fails('the signer has another seed than this database')
  await monitorOf(t, url, unused).fails('no signer was started with this database yet')
})

const elsewhere =
  'the signer is connected to another database, perhaps to a copy of this one; give it the same DATABASE_URL and restart it'

test('a signer that is connected to a copy of the database is noticed, with the same seed', async (t) => {
  const [its, copy] = [await databaseFor(t), await databaseFor(t)]
  const [port, seed] = [await freePort(), newSeed()]
  await (await signerFor(t, its.url, port, seed))(ours!)
  await verifyKeyring(copy.db, keyringFrom(seed))
  const url = `http://127.0.0.1:${port}`
  const { fails, logged } = monitorOf(t, url, copy)
  await fails(elsewhere)
  deepEqual(logged(), [`warn: the signer cannot be used: ${elsewhere}`])
  await monitorOf(t, url, its).monitor.check()
  // Its session was ended, and it has opened another one.
  await its.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'pennypost listener signer%' AND datname = current_database()",
  )
  await monitorOf(t, url, its).monitor.check()
  await fails(elsewhere)
})

test('while the database is away, the log does not say that the signer can be used again', async (t) => {
  const [its, copy] = [await databaseFor(t), await databaseFor(t)]
  const [port, seed] = [await freePort(), newSeed()]
  await (await signerFor(t, its.url, port, seed))(ours!)
  await verifyKeyring(copy.db, keyringFrom(seed))
  const away = openDatabase('postgresql://127.0.0.1:1/away', silent)
  t.after(() => away.close())
  let now: Queryable = copy.pool
  const query = ((text: string, values: unknown[]) => now.query(text, values)) as Queryable['query']
  const { monitor, fails, logged } = monitorOf(t, `http://127.0.0.1:${port}`, { db: copy.db, pool: { query } })
  await fails(elsewhere)
  deepEqual(logged(), [`warn: the signer cannot be used: ${elsewhere}`])
  now = away.pool
  await monitor.check()
  now = copy.pool
  await fails(elsewhere)
  deepEqual(logged(), [])
})

test('a signer that does not say which database it is connected to is not called that of another', async (t) => {
  const database = await databaseFor(t)
  const keyring = keyringFrom(newSeed())
  await verifyKeyring(database.db, keyring)
  let more = {}
  const server = createServer((_, response) => {
    response.end(JSON.stringify({ first: keyring.first, house: keyring.house, settler: null, ...more }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { monitor, fails } = monitorOf(t, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, database)
  // One of an older version.
  await monitor.check()
  more = { databaseLock: null }
  await monitor.check()
  more = { databaseLock: 1 }
  await fails(elsewhere)
})

test('something else at SIGNER_URL is told from a signer that is away; what it says is not repeated', async (t) => {
  const database = await databaseFor(t)
  let listener: RequestListener = () => {}
  const server = createServer((request, response) => listener(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { fails } = monitorOf(t, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, database)
  // It never replies.
  await fails('SIGNER_URL: no reply')
  const replies = (status: number, body: string) => {
    listener = (_, response) => response.writeHead(status).end(body)
  }
  replies(404, 'at 10.0.0.7')
  await fails('SIGNER_URL: status 404')
  replies(200, '{"host":"10.0.0.7"}')
  await fails('SIGNER_URL: the reply is not one of a signer')
  replies(503, '{"error":"at 10.0.0.7"}')
  await fails('the signer cannot sign now')
})
