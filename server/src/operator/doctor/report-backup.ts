import { sql } from 'kysely'
import type { BackupConfig } from '../../platform/backup/settings.ts'
import type { Db } from '../../platform/database/database.ts'
import type { ProcessConfig } from '../../platform/settings.ts'
import { seedElsewhere } from '../../rails/nano/custody/open-keyring.ts'
import type { NanoConfig } from '../../rails/nano/settings.ts'
import type { SignerConfig } from '../../rails/signer/settings.ts'
import { formatAge, type Report } from './check.ts'

const dayMs = 86_400_000
const lateMs = 2 * 3_600_000

/** Whether backups are made, as often as they should be, and who could read them. */
export async function reportBackup(
  report: Report,
  db: Db,
  config: BackupConfig & NanoConfig & SignerConfig & Pick<ProcessConfig, 'role'>,
  now: Date,
): Promise<void> {
  const { backup } = config
  const { rows: failures } = await sql<{ failed_at: Date; cause: string }>`
    SELECT failed_at, cause FROM last_backup_failure`.execute(db)
  const [failure] = failures
  if (failure)
    report.wrong(
      `the last backup failed ${formatAge(now.getTime() - failure.failed_at.getTime())} ago: ${failure.cause}`,
      `${backup.everyMs === undefined ? '' : 'It is tried again every hour. '}Run pennypost backup to see whether it works.`,
    )
  const { rows } = await sql<{ taken_at: Date }>`SELECT taken_at FROM last_backup`.execute(db)
  const advice =
    backup.everyMs === undefined
      ? `Set BACKUP_URL and BACKUP_EVERY${config.role === 'web' ? ' for the workers' : ''}, or run pennypost backup every day. Backups by other means are not known here.`
      : 'Is a process with ROLE=worker or all running with BACKUP_EVERY? See its log.'
  if (rows[0]) {
    const ageMs = now.getTime() - rows[0].taken_at.getTime()
    const detail = `the last backup is ${formatAge(ageMs)} old`
    if (ageMs > (backup.everyMs === undefined ? 2 * dayMs : backup.everyMs + lateMs)) report.warn(detail, advice)
    else report.ok(detail)
  } else report.warn('no backup was made with pennypost backup', advice)
  if (backup.place && backup.recipients.length === 0)
    report.warn(
      'backups are not encrypted: anyone who can read them has the keys to money in transit',
      'Make a key with age-keygen on another machine, and set BACKUP_RECIPIENTS to its public key.',
    )
  const elsewhere = seedElsewhere(config)
  // That is as it should be, so it is no warning: `doctor --strict` could not succeed otherwise.
  if (backup.place && elsewhere !== undefined)
    report.ok(
      `the Nano seed is not in the backups: ${elsewhere}. Keep a copy of it yourself: without it, money in transit is lost`,
    )
}
