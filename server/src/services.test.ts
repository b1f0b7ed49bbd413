import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { createClosers } from './platform/closers.ts'
import { createLog } from './platform/log.ts'
import { openServices } from './services.ts'
import { folderFor } from './test/service-process.ts'
import { cloneTestDatabase } from './test/test-database.ts'

test('a bucket that is away makes the service degraded, not unready', async (t) => {
  const database = await cloneTestDatabase()
  const closers = createClosers({ hangMs: 5_000, onFailure: () => {} })
  t.after(async () => {
    await closers.closeAll()
    await database.drop()
  })
  const settings = { OBJECT_STORE_URL: 's3://key:secret@127.0.0.1:1/bucket?tls=0', NANO_RPC_URL: 'http://127.0.0.1:1' }
  const config = readConfig({ DATA_DIR: await folderFor(t), NANO_NETWORK: 'dev', ...settings })
  const services = await openServices(config, createLog('silent'), { databaseUrl: database.url, closers })
  const { missing, degraded } = await services.readiness()
  deepEqual(missing, [])
  ok(degraded.includes('files'))
})
