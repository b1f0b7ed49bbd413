import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'

/** Where stored objects live. `put` returns when the bytes are safe, not before. */
export interface FileStore {
  put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<{ sizeBytes: number }>
  read(key: string, range?: { start: number; end: number }): Promise<Readable | undefined>
  sizeOf(key: string): Promise<number | undefined>
  remove(key: string): Promise<void>
  /** Throws when nothing can be stored. */
  verify(): Promise<void>
}

/** Objects as files in a folder: written aside, flushed, renamed, and the folder flushed. */
export function localFileStore(folder: string): FileStore {
  const store: FileStore = {
    async put(key, bytes) {
      const path = pathOf(folder, key)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const aside = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.new`
      const file = await open(aside, 'wx', 0o600)
      let sizeBytes = 0
      try {
        for await (const chunk of bytes) {
          await file.writeFile(chunk)
          sizeBytes += chunk.byteLength
        }
        await file.sync()
      } catch (error) {
        await file.close()
        await rm(aside, { force: true })
        throw error
      }
      await file.close()
      await rename(aside, path)
      await flushFolder(dirname(path))
      return { sizeBytes }
    },
    async read(key, range) {
      const path = pathOf(folder, key)
      if ((await store.sizeOf(key)) === undefined) return undefined
      return createReadStream(path, range)
    },
    async sizeOf(key) {
      try {
        return (await stat(pathOf(folder, key))).size
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async remove(key) {
      await rm(pathOf(folder, key), { force: true })
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

// Keys are ours, never a client's file name; a key that could leave the folder is a bug.
function pathOf(folder: string, key: string): string {
  if (!/^[a-z0-9][a-z0-9-]*(\/[a-z0-9][a-z0-9.-]*)*$/.test(key)) throw new Error(`not an object key: ${key}`)
  return join(folder, key)
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
