import { readdir, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { isErrno, StartError } from '../data-dir.ts'
import { createFolder } from '../files/create-folder.ts'
import { type FileStore, localFileStore, type StoredObject } from '../files/file-store.ts'
import type { FileConfig } from '../files/settings.ts'
import type { ProcessConfig } from '../settings.ts'
import { encryptTo } from './encryption.ts'
import { manifestName } from './manifest.ts'
import type { PartStore } from './parts.ts'
import type { BackupConfig, BackupPlaceSettings } from './settings.ts'

/** Where backups are collected, each under a name that is its time. */
export interface BackupPlace {
  readonly store: FileStore
  /** The objects of all backups. */
  list(): AsyncIterable<StoredObject>
  /** Whether it is on another machine: rows are not sent there while PostgreSQL has to keep them. */
  readonly isRemote: boolean
  /** Removes a backup, its manifest first: what is left of one is never taken for a whole one. */
  remove(name: string): Promise<void>
}

export interface FoundBackup {
  readonly name: string
  /** Whether it was finished. */
  readonly isWhole: boolean
  readonly sizeBytes: number
  readonly modifiedAt: Date
}

const namePattern = /^\d{4}-\d\d-\d\dt\d\d-\d\d-\d\dz$/
const dayMs = 86_400_000

/** @example nameOf(new Date('2026-11-18T01:30:00.123Z')) // '2026-11-18t01-30-00z' */
export const nameOf = (takenAt: Date): string =>
  takenAt.toISOString().replace(/\.\d+/, '').replaceAll(':', '-').toLowerCase()

export const timeOf = (name: string): Date => new Date(name.replace(/t(\d\d)-(\d\d)-(\d\d)z$/, 'T$1:$2:$3Z'))

export const backupIn = ({ store }: BackupPlace, name: string): PartStore => ({ store, prefix: `${name}/` })

export type PlaceConfig = Pick<ProcessConfig, 'dataDir'> & FileConfig & BackupConfig

/** Opens `BACKUP_URL`. */
export async function openBackupPlace(config: PlaceConfig): Promise<BackupPlace> {
  const { place } = config.backup
  if (!place) throw new StartError('BACKUP_URL: is not set; set it, or name a folder')
  await requireSeparate(place, config)
  if (place.kind === 'folder') return openFolder(place.folder)
  const { s3FileStore } = await import('../files/s3-file-store.ts')
  const store = s3FileStore(place.bucket)
  const remove = async (name: string) => {
    await store.remove(`${name}/${manifestName}`)
    for await (const { key } of store.list(`${name}/`)) await store.remove(key)
  }
  return { store, list: () => store.list(''), isRemote: true, remove }
}

async function openFolder(folder: string): Promise<BackupPlace> {
  await createFolder(folder, 0o700)
  const remove = async (name: string) => {
    await rm(join(folder, name, manifestName), { force: true })
    await rm(join(folder, name), { recursive: true, force: true })
  }
  return { store: localFileStore(folder), list: () => listFolder(folder), isRemote: false, remove }
}

/** Only folders with the name of a backup: the root of a disk has others. A backup that root made cannot be read, and is left out. */
async function* listFolder(folder: string): AsyncIterable<StoredObject> {
  for (const name of await readdir(folder)) {
    if (!namePattern.test(name)) continue
    try {
      for await (const found of localFileStore(join(folder, name)).list(''))
        yield { ...found, key: `${name}/${found.key}` }
    } catch (error) {
      if (!isErrno(error, 'EACCES')) throw error
    }
  }
}

/** Checks at the start what the first backup would otherwise fail on. */
export async function requireBackupSettings(config: PlaceConfig): Promise<void> {
  const { place, recipients } = config.backup
  if (place) await requireSeparate(place, config)
  if (recipients.length > 0) await encryptTo(recipients)
}

/** A backup must not be part of the next, nor lie among objects that are cleaned up. */
async function requireSeparate(place: BackupPlaceSettings, { dataDir, objectStore }: PlaceConfig): Promise<void> {
  if (place.kind === 'folder') {
    if (await isInside(place.folder, dataDir))
      throw new StartError('BACKUP_URL: must not be in DATA_DIR, which it is a backup of')
  } else if (place.bucket.endpoint === objectStore?.endpoint && place.bucket.bucket === objectStore.bucket)
    throw new StartError('BACKUP_URL: must be another bucket than the one of OBJECT_STORE_URL')
}

/** Either may be behind a link. */
async function isInside(folder: string, dataDir: string): Promise<boolean> {
  return ((await realPath(folder)) + sep).startsWith((await realPath(dataDir)) + sep)
}

/** Of a folder that may not exist yet: that of the nearest one above it, and the rest. */
async function realPath(path: string): Promise<string> {
  const full = resolve(path)
  try {
    return await realpath(full)
  } catch (error) {
    // Opening it reports everything else that is wrong with it.
    return dirname(full) === full || !isErrno(error, 'ENOENT')
      ? full
      : join(await realPath(dirname(full)), basename(full))
  }
}

/** Lists the backups that we may read, newest first. Other objects are left alone. */
export async function listBackups(place: Pick<BackupPlace, 'list'>): Promise<FoundBackup[]> {
  const found = new Map<string, FoundBackup>()
  for await (const { key, sizeBytes, modifiedAt } of place.list()) {
    const [name = '', ...rest] = key.split('/')
    if (!namePattern.test(name) || rest.length === 0) continue
    const known = found.get(name)
    found.set(name, {
      name,
      isWhole: known?.isWhole === true || rest.join('/') === manifestName,
      sizeBytes: (known?.sizeBytes ?? 0) + sizeBytes,
      modifiedAt: known && known.modifiedAt > modifiedAt ? known.modifiedAt : modifiedAt,
    })
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? 1 : -1))
}

/**
 * Leaves out backups whose names are in the future. They were made with a wrong clock, or by someone who wants to stop new
 * backups and make all real ones look old.
 */
export const withoutFuture = (found: readonly FoundBackup[], now: Date): FoundBackup[] =>
  found.filter(({ name }) => timeOf(name).getTime() - now.getTime() < dayMs)

/**
 * Removes whole backups beyond the newest `keep`, and remains of unfinished ones after a day. The newest whole one is never
 * removed. Returns the names.
 */
export async function removeOldBackups(place: BackupPlace, keep: number, now: Date): Promise<string[]> {
  const found = withoutFuture(await listBackups(place), now)
  const old = found.filter(({ isWhole }) => isWhole).slice(Math.max(1, keep))
  // By the time of the disk or the bucket, which is not the service's clock.
  const abandoned = found.filter((each) => !each.isWhole && Date.now() - each.modifiedAt.getTime() > dayMs)
  const names = [...old, ...abandoned].map(({ name }) => name)
  for (const name of names) await place.remove(name)
  return names
}

/** A new or empty folder that becomes a backup itself. */
export async function newBackupFolder(folder: string, { dataDir }: Pick<ProcessConfig, 'dataDir'>): Promise<PartStore> {
  if (await isInside(folder, dataDir))
    throw new StartError(`${folder} is in DATA_DIR, which it would be a backup of: choose a folder outside of it`)
  await createFolder(folder, 0o700)
  if ((await readdir(folder)).length > 0) throw new StartError(`${folder} is not empty: choose another folder`)
  return { store: localFileStore(folder), prefix: '' }
}

/** A folder that is a backup. */
export async function backupFolder(folder: string): Promise<PartStore> {
  await readdir(folder).catch((error) => {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) throw new StartError(`${folder} is not a folder`)
    throw error
  })
  return { store: localFileStore(folder), prefix: '' }
}
