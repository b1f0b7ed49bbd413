import type { Contents, Manifest } from './manifest.ts'

/** The summary of a backup. */
export interface BackupSummary {
  readonly takenAt: string
  readonly tables: number
  readonly rows: number
  readonly files: number
  /** Those of `service-secret` and `nano-seed` that are in it. */
  readonly secrets: readonly string[]
  readonly sizeBytes: number
  readonly isEncrypted: boolean
}

export const summaryOf = (
  { takenAt, encryption, parts }: Manifest,
  { database, files, secrets }: Contents,
): BackupSummary => ({
  takenAt,
  tables: database.tables.length,
  rows: database.tables.reduce((sum, { rows }) => sum + rows, 0),
  files,
  secrets,
  sizeBytes: parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  isEncrypted: encryption === 'age',
})
