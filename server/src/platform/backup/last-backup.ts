import type pg from 'pg'
import type { BackupSummary } from './summary.ts'

// The outcome of the last backup, for monitoring.

type Queryable = Pick<pg.Client, 'query'>

const maxCauseLength = 500

/** A standby or an older database cannot store it. */
export async function recordBackup(on: Queryable, summary: BackupSummary): Promise<void> {
  const { takenAt, rows, files, sizeBytes, isEncrypted } = summary
  const values = [takenAt, rows, files, sizeBytes, isEncrypted]
  await on
    .query(
      `INSERT INTO last_backup (taken_at, row_count, file_count, size_bytes, is_encrypted) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (slot) DO UPDATE SET taken_at = excluded.taken_at, row_count = excluded.row_count,
         file_count = excluded.file_count, size_bytes = excluded.size_bytes, is_encrypted = excluded.is_encrypted`,
      values,
    )
    .catch(() => {})
  await on.query('DELETE FROM last_backup_failure').catch(() => {})
}

/** Kept until a backup succeeds. */
export async function recordBackupFailure(on: Queryable, failedAt: Date, cause: string): Promise<void> {
  await on
    .query(
      `INSERT INTO last_backup_failure (failed_at, cause) VALUES ($1, $2)
       ON CONFLICT (slot) DO UPDATE SET failed_at = excluded.failed_at, cause = excluded.cause`,
      [failedAt, cause.slice(0, maxCauseLength)],
    )
    .catch(() => {})
}
