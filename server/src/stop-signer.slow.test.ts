import { deepEqual, equal, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import pg from 'pg'
import { readConfig } from './config.ts'
import { createLog } from './platform/log.ts'
import { startService } from './service.ts'
import { freePort } from './test/free-port.ts'
import { folderFor } from './test/service-process.ts'
import { cloneTestDatabase } from './test/test-database.ts'
import { until } from './test/until.ts'

test('a signer that stops says so, signs for as long as balancers need, and finishes what it has begun', async (t) => {
  const { url, drop } = await cloneTestDatabase()
  const secret = randomBytes(32).toString('hex')
  const settings = {
    ROLE: 'signer',
    DATA_DIR: await folderFor(t),
    DATABASE_URL: url,
    PORT: String(await freePort()),
    NANO_SEED: randomBytes(32).toString('hex'),
    NANO_RPC_URL: 'http://127.0.0.1:1',
    NANO_NETWORK: 'dev',
    SIGNER_SECRET: secret,
    DRAIN_SECONDS: '3',
  }
  const signer = await startService(readConfig(settings), createLog('silent'))
  let stopped: Promise<void> | undefined
  const origin = `http://127.0.0.1:${settings.PORT}`
  const asks = (path: string, body: object) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const idle = connect(Number(settings.PORT), '127.0.0.1')
  await once(idle, 'connect')
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  t.after(async () => {
    await database.end()
    await (stopped ?? signer.stop())
    await drop()
  })
  equal((await fetch(`${origin}/readyz`)).status, 200)

  // A signature that takes long.
  await database.query('BEGIN; LOCK TABLE nano_sends')
  const signature = asks('/nano/blocks', { addressId: '999999' })
  signature.catch(() => {})
  await until('the signature waits', async () => {
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'nano_sends'::regclass`
    return (await database.query(waiting)).rowCount === 1
  })
  const idleCloses = once(idle, 'close')
  stopped = signer.stop()
  const ready = await fetch(`${origin}/readyz`)
  equal(ready.status, 503)
  deepEqual(((await ready.json()) as { missing: string[] }).missing, ['draining'])
  const status = await asks('/status', {})
  deepEqual([status.status, status.headers.get('connection')], [200, 'close'])
  await until('it takes no new connections', () =>
    fetch(`${origin}/healthz`).then(
      () => false,
      () => true,
    ),
  )
  // Nobody waits for connections that carry no request.
  await idleCloses
  await database.query('COMMIT')
  deepEqual(await (await signature).json(), { kind: 'nothing' })
  await stopped
  await rejects(fetch(origin))
})
