import { DataDirInUse, lockDataDir } from '../data-dir.ts'
import type { ProcessConfig } from '../settings.ts'
import { startEmbeddedPostgres, urlOfRunningPostgres } from './embedded-postgres.ts'
import { requireNotMoved } from './moved-database.ts'

/** Finds the database of the service, for a command. If it is embedded and not running, it is started. */
export async function findDatabase(config: ProcessConfig): Promise<{ url: string; leave(): Promise<void> }> {
  const { databaseDirectUrl, databaseUrl } = config
  if (databaseUrl) return { url: databaseDirectUrl ?? databaseUrl, leave: async () => {} }
  await requireNotMoved(config.dataDir)
  try {
    const lock = await lockDataDir(config.dataDir, 0)
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log: () => {} })
    return {
      url: postgres.url,
      async leave() {
        await postgres.stop()
        await lock.release()
      },
    }
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error
    return { url: await urlOfRunningPostgres(config.dataDir), leave: async () => {} }
  }
}
