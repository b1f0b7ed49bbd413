import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { Dump, dumpDatabase, loadDatabase, type OnProgress, verifyDump } from '../platform/backup/dump.ts'
import { BackedUpFiles, copyNewFiles, hashFiles, requireSameSecrets, verifyFiles } from '../platform/backup/files.ts'
import { requireUnused, withClient } from '../platform/backup/tables.ts'
import { systemClock } from '../platform/clock.ts'
import { createDataDir, isErrno, StartError } from '../platform/data-dir.ts'
import { findDatabase } from '../platform/database/find-database.ts'
import { listMigrations, migrate } from '../platform/database/migrate.ts'
import { createFolder } from '../platform/files/create-folder.ts'
import type { Log } from '../platform/log.ts'
import { migrationsFolder } from '../service.ts'

const Manifest = z.object({ format: z.literal(1), takenAt: z.string(), database: Dump, files: BackedUpFiles })

const manifestOf = (folder: string): string => join(folder, 'backup.json')
const rowsOf = (folder: string): string => join(folder, 'database')
const filesOf = (folder: string): string => join(folder, 'files')

export interface BackupSummary {
  readonly takenAt: string
  readonly tables: number
  readonly rows: number
  readonly files: number
}

const summaryOf = ({ takenAt, database, files }: z.infer<typeof Manifest>): BackupSummary => ({
  takenAt,
  tables: database.tables.length,
  rows: database.tables.reduce((sum, { rows }) => sum + rows, 0),
  files: files.length,
})

/** Writes a backup of the service into a folder, whether it is running or not, and reads it back. */
export async function backUp(config: Config, given: string, onProgress?: OnProgress): Promise<BackupSummary> {
  const folder = resolve(given)
  await createFolder(folder, 0o700)
  if ((await readdir(folder)).length > 0) throw new StartError(`${folder} is not empty: choose another folder`)
  const place = await findDatabase(config)
  try {
    await mkdir(filesOf(folder), { mode: 0o700 })
    // Twice: an object that the database refers to was there before its snapshot or came meanwhile, and may be gone later.
    await copyNewFiles(config.dataDir, filesOf(folder))
    const takenAt = systemClock().now().toISOString()
    const database = await dumpDatabase(place.url, rowsOf(folder), onProgress)
    // The journal grows. The longer one has what was sold meanwhile.
    await rm(join(filesOf(folder), 'journal'), { recursive: true, force: true })
    await copyNewFiles(config.dataDir, filesOf(folder))
    const manifest = { format: 1 as const, takenAt, database, files: await hashFiles(filesOf(folder)) }
    // Last: a backup without it is not whole.
    await writeFile(manifestOf(folder), JSON.stringify(manifest, null, 1), { mode: 0o600, flag: 'wx' })
    const summary = summaryOf(manifest)
    await recordBackup(place.url, summary)
    return summary
  } catch (error) {
    for (const path of [rowsOf(folder), filesOf(folder)]) await rm(path, { recursive: true, force: true })
    throw error
  } finally {
    await place.leave()
  }
}

/**
 * Puts a backup into an empty database. Files that DATA_DIR already has are kept, above all the journal: it has what was
 * sold after the backup.
 */
export async function restore(config: Config, log: Log, given: string): Promise<BackupSummary> {
  const folder = resolve(given)
  const manifest = await readManifest(folder)
  const known = await listMigrations(migrationsFolder)
  const unknown = manifest.database.migrations.find((name) => !known.includes(name))
  if (unknown) throw new StartError(`the backup is of a newer version: it has migration ${unknown}`)
  await verifyDump(rowsOf(folder), manifest.database)
  await verifyFiles(filesOf(folder), manifest.files)
  await requireSameSecrets(filesOf(folder), config.dataDir)
  await createDataDir(config.dataDir)
  const place = await findDatabase(config)
  try {
    await withClient(place.url, requireUnused)
    // Before the database, which is loaded as a whole: once that is there, nothing is missing.
    await copyNewFiles(filesOf(folder), config.dataDir)
    await loadDatabase(place.url, { folder: rowsOf(folder), dump: manifest.database, migrationsFolder, log })
    await migrate(place.url, migrationsFolder, log)
    return summaryOf(manifest)
  } finally {
    await place.leave()
  }
}

/** For those who look whether there is a recent one. A standby and an older database cannot know it. */
async function recordBackup(url: string, { takenAt, rows, files }: BackupSummary): Promise<void> {
  await withClient(url, (client) =>
    client.query(
      `INSERT INTO last_backup (taken_at, row_count, file_count) VALUES ($1, $2, $3)
       ON CONFLICT (slot) DO UPDATE SET taken_at = excluded.taken_at, row_count = excluded.row_count, file_count = excluded.file_count`,
      [takenAt, rows, files],
    ),
  ).catch(() => {})
}

async function readManifest(folder: string): Promise<z.infer<typeof Manifest>> {
  try {
    return Manifest.parse(JSON.parse(await readFile(manifestOf(folder), 'utf8')))
  } catch (error) {
    if (isErrno(error, 'ENOENT')) throw new StartError(`${folder} has no backup.json: it is not a whole backup`)
    if (error instanceof z.ZodError || error instanceof SyntaxError)
      throw new StartError(`${manifestOf(folder)} cannot be read: ${error.message}`)
    throw error
  }
}
