import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { emptyTestDatabase } from '../../test/test-database.ts'
import { StartError } from '../data-dir.ts'
import type { Log } from '../log.ts'
import { checkConnectionBudget, processSession, readConnectionBudget, wantedConnections } from './connection-budget.ts'

test('a process does not start if PostgreSQL allows fewer connections than it may open', async (t) => {
  const database = await emptyTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.after(async () => {
    await client.end()
    await database.drop()
  })
  const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name')
  await client.query(`ALTER DATABASE ${rows[0]!.name} CONNECTION LIMIT 30`)
  equal((await readConnectionBudget(client, { databaseConnections: 10, searchConnections: 4 })).allowed, 30)
  const warnings: string[] = []
  const log = { warn: (...line: unknown[]) => void warnings.push(JSON.stringify(line)) } as unknown as Log
  const check = (databaseConnections: number) =>
    checkConnectionBudget(database.url, { databaseConnections, searchConnections: 4 }, log)
  await rejects(check(20), (error: Error) => {
    match(error.message, /^DATABASE_CONNECTIONS, SEARCH_CONNECTIONS: a process opens up to 31 .* allows 30; lower them/)
    return error instanceof StartError
  })
  await check(10)
  equal(warnings.length, 0)
  // A second process, which has 21 of them too.
  await client.query("SET application_name = 'pennypost listener'")
  await check(10)
  match(warnings.join(), /"connections":42,"allowed":30\}.*all processes together may want more connections/)
  // One that says how many it opens.
  const second = { databaseConnections: 1, searchConnections: 1 }
  await client.query(`SET application_name = '${processSession('web', second)}'`)
  await check(10)
  equal(warnings.length, 1)
  await check(12)
  match(warnings.join(), /"connections":32,"allowed":30\}/)
})

test('processes of another role are counted', async (t) => {
  const database = await emptyTestDatabase()
  const role = `plain_${randomUUID().replaceAll('-', '')}`
  const sizes = { databaseConnections: 10, searchConnections: 4 }
  const [client, other] = ['pennypost start', processSession('signer', sizes)].map(
    (application_name) => new pg.Client({ connectionString: database.url, application_name }),
  ) as [pg.Client, pg.Client]
  await Promise.all([client.connect(), other.connect()])
  t.after(async () => {
    await client.query(`RESET ROLE; DROP ROLE ${role}`)
    await Promise.all([client.end(), other.end()])
    await database.drop()
  })
  await client.query(`CREATE ROLE ${role}; SET ROLE ${role}`)
  const { processes, wanted } = await readConnectionBudget(client, sizes)
  deepEqual({ processes, wanted }, { processes: 1, wanted: 21 })
})

test('connections of a pooler are not counted', () => {
  const sizes = { databaseConnections: 20, searchConnections: 4 }
  equal(wantedConnections(sizes), 31)
  ok(wantedConnections({ ...sizes, databaseDirectUrl: 'postgresql://direct/name' }) === 11)
})
