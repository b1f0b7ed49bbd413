import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { migrate } from '../platform/database/migrate.ts'
import { createLog } from '../platform/log.ts'
import { migrationsFolder } from '../service.ts'
import { emptyTestDatabase } from './test-database.ts'

/** A database as it was before a migration, to be filled by a test. `migrateOnce` applies that migration, and those up to the last. */
export async function olderDatabase(
  t: TestContext,
  migration: string,
  last = migration,
): Promise<{ client: pg.Client; migrateOnce: () => Promise<void> }> {
  const database = await emptyTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-migrations-'))
  const client = new pg.Client({ connectionString: database.url })
  t.after(async () => {
    await client.end()
    await database.drop()
    await rm(folder, { recursive: true })
  })
  const apply = async (names: string[]): Promise<void> => {
    for (const name of names) await cp(join(migrationsFolder, name), join(folder, name))
    await migrate(database.url, folder, createLog('silent'))
  }
  const all = await readdir(migrationsFolder)
  await apply(all.filter((name) => name < migration))
  await client.connect()
  return { client, migrateOnce: () => apply(all.filter((name) => name >= migration && name <= last)) }
}
