import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { StartError, syncFolder } from '../../platform/data-dir.ts'

/** An append-only file. Each line holds a checksum and a record. */
export interface LedgerFile {
  /** Resolves when the record is on disk. Records that arrive together share one flush. */
  append(record: unknown): Promise<void>
  close(): Promise<void>
}

interface Waiting {
  readonly line: string
  resolve(): void
  reject(cause: unknown): void
}

/** Opens the file and restores its records, oldest first. Drops the last record if a crash left it incomplete. */
export async function openLedgerFile(path: string, restore: (record: unknown) => void): Promise<LedgerFile> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'a', 0o600)
  try {
    await syncFolder(dirname(path))
    const { records, wholeBytes } = readRecords(await readFile(path), path)
    for (const record of records) restore(record)
    await file.truncate(wholeBytes)
    await file.sync()
  } catch (error) {
    await file.close()
    throw error
  }

  let waiting: Waiting[] = []
  let flushing: Promise<void> | undefined
  let failure: unknown

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const taken = waiting
      waiting = []
      try {
        // After a failure we do not know what is on disk. Every later append fails until the file is opened again.
        if (failure) throw failure
        await file.appendFile(taken.map(({ line }) => line).join(''))
        await file.datasync()
        for (const { resolve } of taken) resolve()
      } catch (error) {
        failure = error
        for (const { reject } of taken) reject(error)
      }
    }
    flushing = undefined
  }

  return {
    append: (record) =>
      new Promise((resolve, reject) => {
        waiting.push({ line: lineOf(record), resolve, reject })
        flushing ??= flush()
      }),
    async close() {
      await flushing
      await file.close()
    },
  }
}

function lineOf(record: unknown): string {
  const json = JSON.stringify(record)
  return `${checksum(json)} ${json}\n`
}

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0')

function readRecords(bytes: Buffer, path: string): { records: unknown[]; wholeBytes: number } {
  const records: unknown[] = []
  let wholeBytes = 0
  while (wholeBytes < bytes.length) {
    const end = bytes.indexOf('\n', wholeBytes)
    const line = bytes.subarray(wholeBytes, end === -1 ? bytes.length : end).toString()
    const json = line.slice(9)
    if (end === -1 || line.slice(0, 8) !== checksum(json)) {
      // A crash can only damage the last record. If more data follows, something else changed the file.
      if (end !== -1 && end + 1 < bytes.length) throw new StartError(`${path} is damaged after ${wholeBytes} bytes`)
      break
    }
    records.push(JSON.parse(json))
    wholeBytes = end + 1
  }
  return { records, wholeBytes }
}
