import type { Config } from '../config.ts'
import { movableClock, type ServiceClock, systemClock } from '../platform/clock.ts'
import { type Db, openDatabase } from '../platform/database/database.ts'
import { findDatabase } from '../platform/database/find-database.ts'
import { migrationLevelOf } from '../platform/database/migration-level.ts'
import type { Log } from '../platform/log.ts'
import { migrationsFolder } from '../service.ts'
import { CommandRefused } from './command-refused.ts'
import { connectToDatabase } from './find-running-database.ts'

/** The services of commands that read and change rows. */
export interface Operator {
  readonly db: Db
  readonly clock: ServiceClock
}

/**
 * Opens the database of the service for one command, whether the service is running or not. Refuses a database that
 * another version has migrated: this one does not know its tables.
 */
export async function withOperator<T>(config: Config, log: Log, use: (operator: Operator) => Promise<T>): Promise<T> {
  const place = await findDatabase(config)
  try {
    await requireMigrated(place.url)
    const { db, close } = openDatabase(place.url, log, {
      withoutTimeLimits: true,
      connections: 2,
      searchConnections: 2,
    })
    try {
      const clock = config.environment === 'development' ? await movableClock(config.dataDir) : systemClock()
      return await use({ db, clock })
    } finally {
      await close()
    }
  } finally {
    await place.leave()
  }
}

async function requireMigrated(url: string): Promise<void> {
  const client = await connectToDatabase(url)
  const { pending, unknown } = await migrationLevelOf(client, migrationsFolder).finally(() => client.end())
  if (unknown[0] !== undefined)
    throw new CommandRefused(`The database is newer than this version: it has migration ${unknown[0]}.`)
  if (pending.length > 0)
    throw new CommandRefused(
      `The database lacks ${pending.length} migrations of this version.`,
      'Start the service of this version once: it applies them.',
    )
}
