import type { Config } from '../config.ts'
import { withClient } from '../platform/backup/tables.ts'
import { findDatabase } from '../platform/database/find-database.ts'
import { migrate } from '../platform/database/migrate.ts'
import { migrationLevelOf } from '../platform/database/migration-level.ts'
import type { Log } from '../platform/log.ts'
import { migrationsFolder } from '../service.ts'

export interface Migrated {
  readonly applied: readonly string[]
  /** Those that wait until no process of the previous version is running. */
  readonly waiting: readonly string[]
}

/** Applies the migrations of this version, whether the service is running or not. */
export async function migrateDatabase(config: Config, log: Log, finish: boolean): Promise<Migrated> {
  const place = await findDatabase(config)
  try {
    const { pending } = await withClient(place.url, (client) => migrationLevelOf(client, migrationsFolder))
    const waiting = await migrate(place.url, migrationsFolder, log, { finish })
    return { applied: pending.filter((name) => !waiting.includes(name)), waiting }
  } finally {
    await place.leave()
  }
}
