import type { Contents, Manifest } from './manifest.ts'

/** What is said about a backup. */
export interface BackupSummary {
  readonly takenAt: string
  readonly tables: number
  readonly rows: number
  readonly files: number
  readonly sizeBytes: number
  readonly isEncrypted: boolean
}

export const summaryOf = ({ takenAt, encryption, parts }: Manifest, { database, files }: Contents): BackupSummary => ({
  takenAt,
  tables: database.tables.length,
  rows: database.tables.reduce((sum, { rows }) => sum + rows, 0),
  files,
  sizeBytes: parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  isEncrypted: encryption === 'age',
})
