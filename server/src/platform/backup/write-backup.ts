import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { StartError } from '../data-dir.ts'
import { localFileStore } from '../files/file-store.ts'
import { writeArchive } from './archive.ts'
import { dumpDatabase, type OnProgress } from './dump.ts'
import { encryptTo } from './encryption.ts'
import { isJournal, listFiles, secretNames } from './files.ts'
import { recordBackup } from './last-backup.ts'
import { type Contents, contentsName, type Manifest, manifestName, storedName } from './manifest.ts'
import { type Part, type PartStore, putPart, readPart, verifyParts } from './parts.ts'
import { type BackupSummary, summaryOf } from './summary.ts'
import { withClient } from './tables.ts'

/** Any number works. Two at the same time would use the same folder and remove each other's remains. */
const backupLock = 7_065_511_103

export interface BackupSource {
  readonly url: string
  readonly dataDir: string
}

export interface BackupOptions {
  /** Whether the target is on another machine. */
  readonly isRemote: boolean
  readonly recipients: readonly string[]
  readonly now: () => Date
  readonly onProgress?: OnProgress | undefined
}

/** Writes a backup of a service, whether it is running or not, and reads it back. Its manifest comes last. */
export function writeBackup(source: BackupSource, target: PartStore, options: BackupOptions): Promise<BackupSummary> {
  return withClient(source.url, async (client) => {
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
    const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1) AS got', [backupLock])
    if (!rows[0]!.got) throw new StartError('another backup of this database is being made')
    const spool = join(source.dataDir, 'tmp-backup')
    await rm(spool, { recursive: true, force: true })
    try {
      const summary = await writeParts(client, { ...source, spool }, target, options)
      await recordBackup(client, summary)
      return summary
    } finally {
      await rm(spool, { recursive: true, force: true })
    }
  })
}

async function writeParts(
  client: pg.Client,
  { dataDir, spool }: { readonly dataDir: string; readonly spool: string },
  target: PartStore,
  { isRemote, recipients, now, onProgress }: BackupOptions,
): Promise<BackupSummary> {
  const encryption = recipients.length > 0 ? ('age' as const) : ('none' as const)
  const transform = recipients.length > 0 ? await encryptTo(recipients) : undefined
  const options = transform ? { transform } : {}
  const stored = (name: string) => storedName(name, { encryption })
  const parts: Part[] = []
  const archive = async (name: string, paths: readonly string[]) =>
    void parts.push(await putPart(target, stored(name), () => writeArchive(dataDir, paths), options))

  // Files are archived before and after the database: an object that the database refers to may have been deleted after its
  // snapshot, or added just before it.
  const before = (await listFiles(dataDir)).filter((path) => !isJournal(path))
  await archive('files.tar', before)

  // PostgreSQL keeps what others delete until the last row is read, so rows go to this disk first.
  const near = isRemote ? { store: localFileStore(spool), prefix: '' } : target
  const takenAt = now().toISOString()
  const dumped: Part[] = []
  const database = await dumpDatabase(
    client,
    async (name, rows) => void dumped.push(await putPart(near, stored(name), () => rows, { ...options, tries: 1 })),
    onProgress,
  )
  for (const part of dumped) {
    if (isRemote) {
      await putPart(target, part.name, () => readPart(near, part.name))
      await near.store.remove(near.prefix + part.name)
    }
    parts.push(part)
  }

  // The journal grows, so it is archived last: it then has what was sold meanwhile.
  const known = new Set(before)
  const after = (await listFiles(dataDir)).filter((path) => isJournal(path) || !known.has(path))
  await archive('files-after.tar', after)
  const contents: Contents = {
    database,
    archives: ['files-after.tar', 'files.tar'],
    files: before.length + after.length,
    secrets: secretNames.filter((name) => before.includes(name)),
  }
  parts.push(await putPart(target, stored(contentsName), () => bytesOf(contents), options))
  await verifyParts(target, parts)
  const manifest: Manifest = { format: 2, takenAt, encryption, parts }
  await putPart(target, manifestName, () => bytesOf(manifest))
  return summaryOf(manifest, contents)
}

async function* bytesOf(value: object): AsyncGenerator<Buffer> {
  yield Buffer.from(JSON.stringify(value, null, 1))
}
