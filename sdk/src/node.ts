import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, readlink, rename, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Store } from './store.ts'

// Everything that needs Node. A browser never loads it.

const staleLockMs = 120_000
// Longer than that, so that a lock that was left behind is always taken over.
const lockWaitMs = 150_000

/**
 * A store in a folder that only you can read, one file for each value. Processes can share it: a value is replaced as a
 * whole, after it was written to the disk, and locks are files.
 */
export function fileStore(folder: string): Store {
  const pathOf = (key: string) => join(folder, `${fileNameOf(key)}.json`)
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
      const path = join(folder, `${fileNameOf(name)}.lock`)
      const holder = await takeLock(path)
      const renewal = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), staleLockMs / 4)
      renewal.unref()
      try {
        return await work()
      } finally {
        clearInterval(renewal)
        // If the machine slept, another process may have taken the lock over.
        if ((await readHolder(path)) === holder) await rm(path, { force: true })
      }
    },
  }
}

// File systems allow 255 bytes. A lock that is taken over has an ending and an id behind its name for a moment.
const maxNameBytes = 200

/**
 * The name of a file for a key. A long key, such as one with the path of a file in Japanese, of which each letter takes nine
 * bytes, keeps its beginning and gets a hash of the whole.
 */
function fileNameOf(key: string): string {
  const name = encodeURIComponent(key)
  if (name.length <= maxNameBytes) return name
  const hash = createHash('sha256').update(key).digest('hex')
  return `${name.slice(0, maxNameBytes - hash.length - 1)}-${hash}`
}

/**
 * Creates the lock file, with the name of this process in it, and returns that name. The lock of a killed process is removed:
 * immediately if it ran on this machine, otherwise after two minutes.
 */
async function takeLock(path: string): Promise<string> {
  const until = Date.now() + lockWaitMs
  const holder = `${process.pid} ${await machine()} ${randomUUID()}`
  for (;;) {
    try {
      const file = await open(path, 'wx', 0o600)
      await file.writeFile(holder).finally(() => file.close())
      return holder
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (await isStale(path)) await removeStaleLock(path)
    else if (Date.now() > until)
      throw new Error(`Another program has held ${path} for too long. If none is running, delete that file.`)
    else await wait(20)
  }
}

/** Where process ids mean the same: containers have their own, also with the same host name. */
async function machine(): Promise<string> {
  const processes = await readlink('/proc/self/ns/pid').catch(() => '')
  return encodeURIComponent(`${hostname()} ${processes}`)
}

const readHolder = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')

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

async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return false
  const [pid = '', where] = (await readHolder(path)).split(' ')
  const isGone = where === (await machine()) && !isRunning(Number(pid))
  return isGone || Date.now() - found.mtimeMs > staleLockMs
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is someone else's process.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
