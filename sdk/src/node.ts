import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Store } from './store.ts'

// Everything that needs Node. A browser never loads it.

const staleLockMs = 120_000
const lockWaitMs = 90_000

/**
 * A store in a folder that only you can read, one file for each value. Processes can share it: a value is replaced as a
 * whole, after it was written to the disk, and locks are files.
 */
export function fileStore(folder: string): Store {
  const pathOf = (key: string) => join(folder, `${encodeURIComponent(key)}.json`)
  const prepared = () => mkdir(folder, { recursive: true, mode: 0o700 })
  return {
    async get(key) {
      try {
        return await readFile(pathOf(key), 'utf8')
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },
    async set(key, value) {
      await prepared()
      const draft = join(folder, `.${randomUUID()}.tmp`)
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(value)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, pathOf(key))
    },
    async delete(key) {
      await rm(pathOf(key), { force: true })
    },
    async lock(name, work) {
      await prepared()
      const path = join(folder, `${encodeURIComponent(name)}.lock`)
      await takeLock(path)
      const renewal = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), staleLockMs / 4)
      renewal.unref()
      try {
        return await work()
      } finally {
        clearInterval(renewal)
        await rm(path, { force: true })
      }
    },
  }
}

/** Creates the lock file. One that a killed process left behind is removed after two minutes. */
async function takeLock(path: string): Promise<void> {
  const until = Date.now() + lockWaitMs
  for (;;) {
    try {
      await (await open(path, 'wx', 0o600)).close()
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (await isStale(path)) await removeStaleLock(path)
    else if (Date.now() > until) throw new Error(`Another process holds ${path}.`)
    else await wait(20)
  }
}

/** Moves the file away before it is removed, because another process may have done so and taken the lock meanwhile. */
async function removeStaleLock(path: string): Promise<void> {
  const moved = `${path}.${randomUUID()}`
  try {
    await rename(path, moved)
  } catch (error) {
    if (isMissing(error)) return
    throw error
  }
  if (!(await isStale(moved))) await link(moved, path).catch(() => {})
  await rm(moved, { force: true })
}

const isStale = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > staleLockMs
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
