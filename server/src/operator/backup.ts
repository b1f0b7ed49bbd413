import { existsSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { loadDatabase, type OnProgress } from '../platform/backup/dump.ts'
import { decryptWith, type Transform } from '../platform/backup/encryption.ts'
import { extractNewFiles, requireSameSecrets } from '../platform/backup/files.ts'
import { recordBackupFailure } from '../platform/backup/last-backup.ts'
import { type Manifest, readContents, readManifest, storedName } from '../platform/backup/manifest.ts'
import { BackupDamaged, type PartStore, readPart, verifyParts } from '../platform/backup/parts.ts'
import {
  backupFolder,
  backupIn,
  type FoundBackup,
  listBackups,
  nameOf,
  newBackupFolder,
  openBackupPlace,
  removeOldBackups,
} from '../platform/backup/place.ts'
import { type BackupSummary, summaryOf } from '../platform/backup/summary.ts'
import { requireUnused, withClient } from '../platform/backup/tables.ts'
import { writeBackup } from '../platform/backup/write-backup.ts'
import { systemClock } from '../platform/clock.ts'
import { createDataDir, StartError } from '../platform/data-dir.ts'
import { findDatabase } from '../platform/database/find-database.ts'
import { listMigrations, migrate } from '../platform/database/migrate.ts'
import type { Log } from '../platform/log.ts'
import { migrationsFolder } from '../service.ts'

export interface NamedBackup extends BackupSummary {
  /** Its name in BACKUP_URL, or its folder. */
  readonly name: string
  /** Old backups that were removed. */
  readonly removed: readonly string[]
}

/** Makes a backup in a new or empty folder, whether the service is running or not. */
export async function backUpToFolder(config: Config, given: string, onProgress?: OnProgress): Promise<NamedBackup> {
  const folder = resolve(given)
  const wasThere = existsSync(folder)
  const target = await newBackupFolder(folder, config)
  // It was empty, or was not there.
  const removeParts = async () => {
    if (!wasThere) return rm(folder, { recursive: true })
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
  }
  const summary = await write(config, target, { isRemote: false, onProgress }, removeParts)
  return { name: given, ...summary, removed: [] }
}

/** Makes a backup in BACKUP_URL, named by its time, and removes old ones. */
export async function backUp(config: Config, keep: number, onProgress?: OnProgress): Promise<NamedBackup> {
  const place = await openBackupPlace(config).catch((error) => noteFailure(config, error))
  const name = nameOf(systemClock().now())
  if ((await listBackups(place)).some((found) => found.name === name))
    throw new StartError(`there is a backup ${name} already: wait a second`)
  const { isRemote } = place
  const summary = await write(config, backupIn(place, name), { isRemote, onProgress }, () => place.remove(name))
  return { name, ...summary, removed: await removeOldBackups(place, keep, systemClock().now()) }
}

async function write(
  config: Config,
  target: PartStore,
  options: { readonly isRemote: boolean; readonly onProgress: OnProgress | undefined },
  removeParts: () => Promise<void>,
): Promise<BackupSummary> {
  const { recipients } = config.backup
  let database: Awaited<ReturnType<typeof findDatabase>> | undefined
  try {
    database = await findDatabase(config)
    const source = { url: database.url, dataDir: config.dataDir }
    return await writeBackup(source, target, { ...options, recipients, now: systemClock().now })
  } catch (error) {
    await removeParts().catch(() => {})
    return await noteFailure(config, error)
  } finally {
    // Not in the `try`: if only this fails, the backup is whole and stays.
    await database?.leave()
  }
}

/**
 * Records that a backup failed, for `pennypost doctor`, metrics and administrators: a timer may have started it. Does
 * nothing if the service makes its own backups, which report themselves, or if settings or arguments are wrong, which may
 * be a typo.
 */
async function noteFailure(config: Config, error: unknown): Promise<never> {
  const mayBeMistyped = error instanceof StartError && !(error instanceof BackupDamaged)
  if (config.backup.everyMs !== undefined || mayBeMistyped) throw error
  const note = async () => {
    const { url, leave } = await findDatabase(config)
    const { message } = error as Error
    await withClient(url, (client) => recordBackupFailure(client, systemClock().now(), message)).finally(leave)
  }
  await note().catch(() => {})
  throw error
}

/** The backups in BACKUP_URL, newest first. */
export async function listPlace(config: Config): Promise<FoundBackup[]> {
  if (!config.backup.place) throw new StartError('BACKUP_URL: is not set; set it to where the backups are')
  return listBackups(await openBackupPlace(config))
}

/** A backup: the folder, or the named one in BACKUP_URL, or the newest whole one there. */
export async function findBackup(
  config: Config,
  { folder, name }: { readonly folder?: string | undefined; readonly name?: string | undefined },
): Promise<PartStore> {
  if (folder !== undefined) return backupFolder(resolve(folder))
  const place = await openBackupPlace(config)
  const found = await listBackups(place)
  const chosen = found.find((each) => (name === undefined ? each.isWhole : each.name === name))
  if (!chosen) throw new StartError(`BACKUP_URL: there is no ${name === undefined ? 'whole backup' : `backup ${name}`}`)
  return backupIn(place, chosen.name)
}

/**
 * Puts a backup into an empty database. Files that DATA_DIR already has are kept, above all the journal: it has what was
 * sold after the backup. Nothing is changed before the whole backup was read and verified.
 */
export async function restore(
  config: Config,
  log: Log,
  at: PartStore,
  identityFile: string | undefined,
): Promise<BackupSummary> {
  const manifest = await readManifest(at)
  const decrypt = await decryptionOf(manifest, identityFile)
  const contents = await readContents(at, manifest, decrypt)
  const known = await listMigrations(migrationsFolder)
  const unknown = contents.database.migrations.find((name) => !known.includes(name))
  if (unknown) throw new StartError(`the backup is of a newer version: it has migration ${unknown}`)
  await verifyParts(at, manifest.parts)
  const read = (part: string) => decrypt(readPart(at, storedName(part, manifest)))
  for (const archive of contents.archives) await requireSameSecrets(read(archive), config.dataDir)
  const wasThere = existsSync(config.dataDir)
  await createDataDir(config.dataDir)
  const place = await findDatabase(config)
  try {
    await withClient(place.url, requireUnused)
    // Before the database, which is loaded as a whole: once that is there, nothing is missing.
    for (const archive of contents.archives) await extractNewFiles(read(archive), config.dataDir)
    await loadDatabase(place.url, { dump: contents.database, read, migrationsFolder, log })
    await migrate(place.url, migrationsFolder, log)
    return summaryOf(manifest, contents)
  } catch (error) {
    // A mistyped DATABASE_URL leaves no empty folder. One with files stays.
    if (!wasThere) await rmdir(config.dataDir).catch(() => {})
    throw error
  } finally {
    await place.leave()
  }
}

async function decryptionOf({ encryption }: Manifest, identityFile: string | undefined): Promise<Transform> {
  if (encryption === 'none') return (bytes) => bytes
  if (identityFile === undefined)
    throw new StartError('the backup is encrypted: name the file with your private key, --identity FILE')
  return decryptWith(resolve(identityFile))
}
