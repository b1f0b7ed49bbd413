import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isErrno, syncFolder } from './data-dir.ts'

/**
 * A record, outside the database, of what this machine has promised to others: if the database is restored or fails over
 * and lacks some of it, the journal still has it. It consists of append-only files with lines of JSON, one file for each
 * day.
 */
export interface Journal {
  /** Resolves when the record is on the disk. Records that come at the same time share one flush. */
  append(record: object, options?: { readonly isCompared?: boolean }): Promise<void>
  /** The records that this process appended last and that are compared with the database, oldest first. */
  latest(): readonly object[]
  close(): Promise<void>
}

const folderOf = (dataDir: string): string => join(dataDir, 'journal')
const keptDays = 35
const keptInMemory = 1_000

export function openJournal(dataDir: string): Journal {
  const folder = folderOf(dataDir)
  const suffix = randomBytes(4).toString('hex')
  const latest: object[] = []
  let day = ''
  let file: FileHandle | undefined
  let waiting: { line: string; resolve(): void; reject(error: unknown): void }[] = []
  let flushing: Promise<void> | undefined

  async function fileOfToday(): Promise<FileHandle> {
    const today = new Date().toISOString().slice(0, 10)
    if (file && day === today) return file
    await file?.close()
    file = undefined
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await removeOld(folder)
    file = await open(join(folder, `${today}-${suffix}.jsonl`), 'a', 0o600)
    await syncFolder(folder)
    day = today
    return file
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const target = await fileOfToday()
        // Unlike `write`, it continues after a partial write, or throws.
        await target.appendFile(batch.map(({ line }) => line).join(''))
        await target.datasync()
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
  }

  return {
    append(record, { isCompared = true } = {}) {
      const done = new Promise<void>((resolve, reject) => {
        // It begins with a line break, so that a line that a killed process wrote in part cannot swallow it.
        waiting.push({ line: `\n${JSON.stringify(record)}\n`, resolve, reject })
      })
      flushing ??= flush().finally(() => {
        flushing = undefined
      })
      return done.then(() => {
        if (!isCompared) return
        latest.push(record)
        if (latest.length > keptInMemory) latest.shift()
      })
    },
    latest: () => latest,
    async close() {
      await flushing
      await file?.close()
      file = undefined
    },
  }
}

/**
 * Reads every journal in DATA_DIR that was written to since a time, oldest file first. Lines that were not written whole are
 * skipped.
 */
export async function* readJournals(dataDir: string, since = new Date(0)): AsyncGenerator<unknown> {
  const folder = folderOf(dataDir)
  for (const name of await listFiles(folder)) {
    if ((await stat(join(folder, name))).mtime < since) continue
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
      if (line === '') continue
      try {
        yield JSON.parse(line)
      } catch {}
    }
  }
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort()
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}

/** A journal is kept for longer than any backup that is likely to be restored. */
async function removeOld(folder: string): Promise<void> {
  for (const name of await listFiles(folder)) {
    const { mtimeMs } = await stat(join(folder, name))
    if (Date.now() - mtimeMs > keptDays * 86_400_000) await rm(join(folder, name), { force: true })
  }
}
