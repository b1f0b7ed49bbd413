import { z } from 'zod'
import type { Job } from '../jobs/job.ts'
import type { PlatformServices } from '../services.ts'
import { recordBackupFailure } from './last-backup.ts'
import { backupIn, listBackups, nameOf, openBackupPlace, removeOldBackups, timeOf, withoutFuture } from './place.ts'
import { writeBackup } from './write-backup.ts'

const hourMs = 3_600_000

/**
 * Makes a backup if `BACKUP_EVERY` says that one is due. The place itself knows when the last one was made. One that fails is tried
 * again, and every hour from then on.
 */
export const takeBackup: Job<PlatformServices, z.ZodObject> = {
  name: 'take-backup',
  payload: z.object({}),
  attempts: 3,
  every: 'hour',
  share: 'spare',
  concurrency: 1,
  async run(services) {
    if (services.config.backup.everyMs === undefined) return
    try {
      await takeIfDue(services, services.config.backup.everyMs)
    } catch (error) {
      await recordBackupFailure(services.pool, services.clock.now(), (error as Error).message)
      throw error
    }
  },
}

async function takeIfDue({ config, pool, clock, log }: PlatformServices, everyMs: number): Promise<void> {
  const place = await openBackupPlace(config)
  const startedAt = clock.now()
  const last = withoutFuture(await listBackups(place), startedAt).find(({ isWhole }) => isWhole)
  // This runs at every full hour, sometimes a little later than the last time.
  if (last && startedAt.getTime() - timeOf(last.name).getTime() < everyMs - hourMs / 2) return
  const name = nameOf(startedAt)
  const url = config.databaseDirectUrl ?? config.databaseUrl ?? pool.options.connectionString!
  const { recipients, keep } = config.backup
  const options = { isRemote: place.isRemote, recipients, now: () => clock.now() }
  try {
    const { rows, files, secrets, sizeBytes } = await writeBackup(
      { url, dataDir: config.dataDir },
      backupIn(place, name),
      options,
    )
    const seconds = Math.round((clock.now().getTime() - startedAt.getTime()) / 1000)
    log.info({ backup: name, rows, files, secrets, sizeBytes, seconds }, 'a backup was made')
  } catch (error) {
    await place.remove(name).catch(() => {})
    throw error
  }
  const removed = await removeOldBackups(place, keep, clock.now())
  if (removed.length > 0) log.info({ backups: removed }, 'old backups were removed')
}
