import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Readable } from 'node:stream'

/** Where stored objects live. `put` returns when the bytes are safe, not before. */
export interface FileStore {
  /**
   * An object is there whole or not at all. Of one with `isNew`, whose key nobody had or knows before, a process that
   * dies may leave a beginning: it is as little known to anybody as the whole object would be.
   */
  put(key: string, bytes: AsyncIterable<Uint8Array>, options?: { isNew?: boolean }): Promise<{ sizeBytes: number }>
  read(key: string, range?: { start: number; end: number }): Promise<Readable | undefined>
  sizeOf(key: string): Promise<number | undefined>
  remove(key: string): Promise<void>
  /**
   * Everything whose key begins so, in no order, for whoever looks for objects that nobody knows. An unfinished write
   * of a process that died is among them.
   */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Throws when nothing can be stored. */
  verify(): Promise<void>
}

export interface StoredObject {
  readonly key: string
  readonly sizeBytes: number
  readonly modifiedAt: Date
}

/**
 * Objects as files in a folder: written aside, flushed, renamed, and the folder flushed. New ones are not written aside:
 * without the renaming the disk has one thing less to wait for.
 */
export function localFileStore(folder: string): FileStore {
  const store: FileStore = {
    async put(key, bytes, { isNew = false } = {}) {
      const path = pathOf(folder, key)
      const written = isNew ? path : `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.new`
      const file = await createFile(written)
      // The name of a new one is flushed while its bytes arrive: it waits for them only, in the end.
      const named = isNew ? flushFolder(dirname(path)) : undefined
      named?.catch(() => {})
      let sizeBytes: number
      try {
        sizeBytes = await writeBatches(file, bytes)
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
      // Written and flushed: on a full disk an empty file can still be made.
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

export const isKey = (text: string): boolean => /^[a-z0-9][a-z0-9-]*(\/[a-z0-9][a-z0-9.-]*)*$/.test(text)

/** Keys are ours, never a client's file name; a key that could leave the folder is a bug. */
export function requireKey(key: string): string {
  if (!isKey(key)) throw new Error(`not an object key: ${key}`)
  return key
}

const pathOf = (folder: string, key: string): string => join(folder, requireKey(key))

const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error
}

// A write costs a turn of a thread, however small it is.
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

/** The next batch is gathered while one is written. */
async function writeBatches(file: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let sizeBytes = 0
  let writing = Promise.resolve(0)
  try {
    for await (const chunks of batches(bytes)) {
      sizeBytes += await writing
      writing = writeAll(file, chunks)
      // Met when it is awaited; until then nobody listens.
      writing.catch(() => {})
    }
  } catch (error) {
    await writing.catch(() => {})
    throw error
  }
  return sizeBytes + (await writing)
}

async function writeAll(file: FileHandle, chunks: readonly Uint8Array[]): Promise<number> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
  const { bytesWritten } = await file.writev(chunks)
  // As good as no write at all: the disk is full.
  if (bytesWritten < length) throw new Error(`only ${bytesWritten} of ${length} bytes could be written`)
  return length
}

/** The folder is there nearly always. */
async function createFile(path: string): Promise<FileHandle> {
  const create = () => open(path, 'wx', 0o600)
  const file = await create().catch(ignoreMissing)
  if (file) return file
  await makeFolder(dirname(path))
  return create()
}

/** A new folder is safe when the one that it is in is flushed, and so up to the first that was there before. */
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
