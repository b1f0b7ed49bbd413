import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../../test/free-port.ts'
import { cloneTestDatabase } from '../../test/test-database.ts'
import { until } from '../../test/until.ts'
import { createLog, type Log } from '../log.ts'
import { openDatabase } from './database.ts'
import { openReplica, type ReplicaOptions } from './replica.ts'

const options: ReplicaOptions = { connections: 2, searchConnections: 2, maxLagSeconds: 1 }

test('a replica that was never there, or is none, is in the log once', async (t) => {
  const { url, drop } = await cloneTestDatabase()
  const primary = openDatabase(url, createLog('silent'), { connections: 2, searchConnections: 2 })
  t.after(async () => {
    await primary.close()
    await drop()
  })
  const warningsOf = async (replicaUrl: string): Promise<string> => {
    const warnings: string[] = []
    const log = { warn: (...line: unknown[]) => void warnings.push(JSON.stringify(line)), info: () => {} }
    const replica = openReplica(replicaUrl, primary.pool, log as unknown as Log, options)
    try {
      await until('it is in the log', () => warnings.length > 0)
      equal(replica.isFresh(), false)
    } finally {
      await replica.close()
    }
    equal(warnings.length, 1)
    return warnings[0]!
  }
  const port = await freePort()
  match(await warningsOf(`postgresql://nobody@127.0.0.1:${port}/away`), /ECONNREFUSED.*the primary answers all reads/)
  // The primary itself.
  match(await warningsOf(url), /the primary answers all reads/)
})
