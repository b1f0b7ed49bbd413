import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { readConfig } from './config.ts'
import { createClosers } from './platform/closers.ts'
import { createLog, type Log } from './platform/log.ts'
import { openServices } from './services.ts'
import { folderFor } from './test/service-process.ts'
import { cloneTestDatabase } from './test/test-database.ts'
import { until } from './test/until.ts'

async function servicesFor(t: TestContext, settings: Record<string, string>, log: Log = createLog('silent')) {
  const database = await cloneTestDatabase()
  const closers = createClosers({ hangMs: 5_000, onFailure: () => {} })
  t.after(async () => {
    await closers.closeAll()
    await database.drop()
  })
  const nodes = { NANO_NETWORK: 'dev', NANO_RPC_URL: 'http://127.0.0.1:1' }
  const config = readConfig({ DATA_DIR: await folderFor(t), ...nodes, ...settings })
  return openServices(config, log, { databaseUrl: database.url, closers })
}

test('a bucket that is away makes the service degraded, not unready', async (t) => {
  const { readiness } = await servicesFor(t, { OBJECT_STORE_URL: 's3://key:secret@127.0.0.1:1/bucket?tls=0' })
  const reports = await Promise.all([readiness(), readiness(), readiness()])
  const { missing, degraded } = reports[0]
  deepEqual(missing, [])
  ok(degraded.includes('files'))
  // Those who ask while a check runs share the next one.
  equal(reports[1], reports[2])
})

test('a signer that is away makes the service degraded; readiness and one warning say why', async (t) => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const signer = { SIGNER_URL: 'http://127.0.0.1:1', SIGNER_SECRET: 'a-secret-that-the-processes-share' }
  const { readiness } = await servicesFor(t, signer, log)
  // The log has it although nobody asked for readiness.
  await until('a warning', () => lines.some((line) => line.includes('the signer cannot be used')))
  const { missing, degraded, details } = await readiness()
  deepEqual(missing, [])
  ok(degraded.includes('signer'))
  equal(details.signer, 'SIGNER_URL: no reply')
  equal(lines.filter((line) => line.includes('the signer')).length, 1)
  ok(!lines.join().includes(signer.SIGNER_SECRET))
})
