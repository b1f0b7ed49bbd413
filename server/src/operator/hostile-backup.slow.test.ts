import { equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { loadDatabase } from '../platform/backup/dump.ts'
import { withClient } from '../platform/backup/tables.ts'
import { listMigrations } from '../platform/database/migrate.ts'
import { createLog } from '../platform/log.ts'
import { migrationsFolder } from '../service.ts'
import { emptyTestDatabase } from '../test/test-database.ts'

test('names of tables and columns in a backup are names, whatever is written there', async (t) => {
  const { url, drop } = await emptyTestDatabase()
  t.after(drop)
  const migrations = await listMigrations(migrationsFolder)
  const loads = (name: string, columns: string[]) => {
    const dump = { migrations, tables: [{ name, columns, rows: 0, part: 'x' }], sequences: [] }
    const read = async function* () {}
    return loadDatabase(url, { dump, read, migrationsFolder, log: createLog('silent') })
  }
  const statement = 'CREATE TABLE stolen ()'
  const ours = /this is not a backup of Pennypost/
  await rejects(loads(`accounts (id) FROM STDIN; ${statement}; --`, ['id']), ours)
  await rejects(loads("accounts (id) FROM PROGRAM 'true' --", ['id']), ours)
  await rejects(loads('accounts', [`id) FROM STDIN; ${statement}; --`]), ours)
  await rejects(loads('pg_authid', ['rolname']), ours)
  await withClient(url, async (client) => {
    const { rows } = await client.query(`SELECT to_regclass('stolen') AS stolen`)
    equal(rows[0]!.stolen, null)
  })
})
