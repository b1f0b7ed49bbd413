import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { releaseBytes } from './release-bytes.ts'

/** Stores objects. `put` returns only when the bytes are durable. */
export interface FileStore {
  /**
   * Stores a whole object or nothing. With `isNew`, for a key that was never used and that nobody knows yet, a process
   * that dies may leave a partial object, which nobody refers to. With `isLarge`, it may have up to 150 GB instead of 50,
   * and takes more memory on its way. With `takesBytes`, the store may free the memory of each chunk once it is written:
   * nobody else may need it.
   */
  put(key: string, bytes: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<{ sizeBytes: number }>
  read(key: string, range?: { start: number; end: number }): Promise<Readable | undefined>
  sizeOf(key: string): Promise<number | undefined>
  remove(key: string): Promise<void>
  /** Lists all objects with this prefix, in no order, including partial ones. Used to find unreferenced objects. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Throws if nothing can be stored. */
  verify(): Promise<void>
}

export interface PutOptions {
  readonly isNew?: boolean
  readonly isLarge?: boolean
  readonly takesBytes?: boolean
}

export interface StoredObject {
  readonly key: string
  readonly sizeBytes: number
  readonly modifiedAt: Date
}

/**
 * Stores objects as files in a folder. Each is written to a temporary file, flushed and renamed, and then the folder is
 * flushed. New objects are written in place, which saves a flush.
 */
export function localFileStore(folder: string): FileStore {
  const store: FileStore = {
    async put(key, bytes, { isNew = false, takesBytes = false } = {}) {
      const path = pathOf(folder, key)
      const written = isNew ? path : `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.new`
      const file = await createFile(written)
      // The folder entry of a new file is flushed while its bytes arrive.
      const named = isNew ? flushFolder(dirname(path)) : undefined
      named?.catch(() => {})
      let sizeBytes: number
      try {
        sizeBytes = await writeBatches(file, bytes, takesBytes)
        await file.datasync()
        await named
      } catch (error) {
        await file.close()
        await rm(written, { force: true })
        throw error
      }
      await file.close()
      if (isNew) return { sizeBytes }
      await rename(written, path)
      await flushFolder(dirname(path))
      return { sizeBytes }
    },
    async read(key, range) {
      const path = pathOf(folder, key)
      if ((await store.sizeOf(key)) === undefined) return undefined
      return createReadStream(path, range)
    },
    async sizeOf(key) {
      return (await stat(pathOf(folder, key)).catch(ignoreMissing))?.size
    },
    async remove(key) {
      await rm(pathOf(folder, key), { force: true })
    },
    async *list(prefix) {
      const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ignoreMissing)
      for (const file of found ?? []) {
        const path = join(file.parentPath, file.name)
        const key = relative(folder, path).split(sep).join('/')
        if (!file.isFile() || !key.startsWith(prefix) || !isKey(key)) continue
        const status = await stat(path).catch(ignoreMissing)
        if (status) yield { key, sizeBytes: status.size, modifiedAt: status.mtime }
      }
    },
    async verify() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // Not empty: an empty file can be created even on a full disk.
      const probe = await open(join(folder, '.probe'), 'w', 0o600)
      try {
        await probe.writeFile(Buffer.alloc(4096))
        await probe.sync()
      } finally {
        await probe.close()
      }
    },
  }
  return store
}

export const isKey = (text: string): boolean => /^[a-z0-9][a-z0-9.-]*(\/[a-z0-9][a-z0-9.-]*)*$/.test(text)

/** Keys are made by us and never contain a client's file name. A key that could leave the folder is a bug. */
export function requireKey(key: string): string {
  if (!isKey(key)) throw new Error(`not an object key: ${key}`)
  return key
}

const pathOf = (folder: string, key: string): string => join(folder, requireKey(key))

const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error
}

// Every write uses a thread of the pool, however small it is.
const batchBytes = 192 * 1024

async function* batches(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array[]> {
  let chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length < batchBytes) continue
    yield chunks
    chunks = []
    length = 0
  }
  if (length > 0) yield chunks
}

/** Collects the next batch while one is written. */
async function writeBatches(file: FileHandle, bytes: AsyncIterable<Uint8Array>, takesBytes: boolean): Promise<number> {
  let sizeBytes = 0
  let writing = Promise.resolve(0)
  try {
    for await (const chunks of batches(bytes)) {
      sizeBytes += await writing
      writing = writeAll(file, chunks, takesBytes)
      // Handled when it is awaited below.
      writing.catch(() => {})
    }
  } catch (error) {
    await writing.catch(() => {})
    throw error
  }
  return sizeBytes + (await writing)
}

async function writeAll(file: FileHandle, chunks: readonly Uint8Array[], takesBytes: boolean): Promise<number> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
  const { bytesWritten } = await file.writev(chunks)
  // The disk is full.
  if (bytesWritten < length) throw new Error(`only ${bytesWritten} of ${length} bytes could be written`)
  if (takesBytes) releaseBytes(chunks)
  return length
}

/** Tries without creating the folder first, because it nearly always exists. */
async function createFile(path: string): Promise<FileHandle> {
  const create = () => open(path, 'wx', 0o600)
  const file = await create().catch(ignoreMissing)
  if (file) return file
  await makeFolder(dirname(path))
  return create()
}

/** Creates a folder and flushes every parent up to the first one that existed before. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = resolve(path); ; made = dirname(made)) {
    await flushFolder(dirname(made))
    if (made === resolve(first)) return
  }
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
