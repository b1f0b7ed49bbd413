import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmod, chown, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createFolder } from './files/create-folder.ts'

/** The service cannot start. The message is one line for the operator and names the setting to change. */
export class StartError extends Error {
  override name = 'StartError'
}

/** Another running process uses the folder. */
export class DataDirInUse extends StartError {}

export interface DataDirLock {
  release(): Promise<void>
  /** Writes the URL we serve into the lock, so that a second start can show it. */
  announce(address: string): Promise<void>
}

interface LockHolder {
  id: string
  pid: number
  birth: string | undefined
  since: string
  address?: string
}

const LEFTOVER_AGE_MS = 60_000

/**
 * Creates the folder if it is missing. An existing folder keeps its mode: DATA_DIR may be a mounted volume or contain
 * other files, and every secret file in it has its own mode.
 */
export async function createDataDir(dataDir: string): Promise<void> {
  const path = resolve(dataDir)
  // Under root, the database runs as another user, who must be able to enter its folder.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  await explainingDataDir(dataDir, async () => {
    await createFolder(dirname(path))
    try {
      await mkdir(path, { mode })
      await chmod(path, mode) // mkdir applies the umask
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error
    }
  })
}

/** Locks the folder for this process, or throws a StartError that names the process that has it. */
export async function lockDataDir(dataDir: string, waitMs = 5000): Promise<DataDirLock> {
  await createDataDir(dataDir)
  const path = join(resolve(dataDir), 'lock')
  let mine: LockHolder = {
    id: randomBytes(8).toString('hex'),
    pid: process.pid,
    birth: await processBirth(process.pid),
    since: new Date().toISOString(),
  }

  const deadline = Date.now() + waitMs
  for (;;) {
    const holder = await explainingDataDir(dataDir, () => takeLock(path, mine))
    if (holder === undefined) break
    if (Date.now() >= deadline) throw new DataDirInUse(inUse(dataDir, holder))
    await sleep(100)
  }
  await removeLeftovers(path)

  const isStillMine = async () => parseHolder(await readIfPresent(path))?.id === mine.id
  return {
    async announce(address) {
      mine = { ...mine, address }
      if (!(await isStillMine())) return
      const draft = await writeDraft(path, JSON.stringify(mine))
      await rename(draft, path)
    },
    async release() {
      if (await isStillMine()) await rm(path, { force: true })
    },
  }
}

/**
 * Reads a secret file in DATA_DIR, and creates it the first time. Two processes can safely do this at the same time. If
 * `create` throws, nothing is left behind.
 */
export async function readOrCreateSecret(
  dataDir: string,
  name: string,
  create: () => string | Promise<string>,
): Promise<string> {
  const path = join(resolve(dataDir), name)
  const find = () => explainingDataDir(dataDir, () => readIfPresent(path))
  const createIfMissing = async () => {
    if ((await find()) !== undefined) return undefined
    try {
      return await create()
    } catch (error) {
      // Another process may have created it just now and started with it, and that may be why we must not.
      if ((await find()) === undefined) throw error
      return undefined
    }
  }
  const created = await createIfMissing()
  if (created !== undefined) {
    await createDataDir(dataDir)
    await explainingDataDir(dataDir, async () => {
      await publish(path, created)
      await syncFolder(dirname(path))
    })
  }
  const secret = (await explainingDataDir(dataDir, () => readFile(path, 'utf8'))).trim()
  if (secret === '') throw new StartError(`${path} is empty: restore it from a backup of DATA_DIR`)
  return secret
}

/** Replaces a secret file atomically. It keeps its owner: root may do this for a service that is another user. */
export async function replaceSecret(dataDir: string, name: string, content: string): Promise<void> {
  const path = join(resolve(dataDir), name)
  await explainingDataDir(dataDir, async () => {
    const { uid, gid } = await stat(path)
    const draft = await writeDraft(path, content)
    if (process.getuid?.() === 0) await chown(draft, uid, gid)
    await rename(draft, path)
    await syncFolder(dirname(path))
  })
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

export function isErrno(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** Returns the running holder, or undefined if the lock is now ours. */
async function takeLock(path: string, mine: LockHolder): Promise<LockHolder | undefined> {
  for (;;) {
    if (await publish(path, JSON.stringify(mine))) return undefined
    const found = await readIfPresent(path)
    if (found === undefined) continue
    const holder = parseHolder(found)
    if (holder && (await isAlive(holder))) return holder

    // Only one process may remove a dead holder's file. Otherwise the slower of two would remove the new lock of the
    // faster one. The right to remove it is itself a lock, named after the content of the file.
    const removal = `${path}.${createHash('sha256').update(found).digest('hex').slice(0, 16)}`
    const rival = await takeLock(removal, mine)
    if (rival) return rival
    if ((await readIfPresent(path)) === found) await rm(path)
    await rm(removal, { force: true })
  }
}

/** Creates a file atomically. Returns false if the name is taken. Readers never see a partial file. */
async function publish(path: string, content: string): Promise<boolean> {
  const draft = await writeDraft(path, content)
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeDraft(path: string, content: string): Promise<string> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  return draft
}

/** Deletes temporary files of processes that were killed while they took this lock. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path)
  for (const name of await readdir(folder)) {
    if (!/^lock\.[0-9a-f]/.test(name)) continue
    const left = await stat(join(folder, name)).catch(() => undefined)
    if (left && Date.now() - left.mtimeMs > LEFTOVER_AGE_MS) await rm(join(folder, name), { force: true })
  }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

function parseHolder(content: string | undefined): LockHolder | undefined {
  try {
    const holder = JSON.parse(content ?? '')
    return Number.isSafeInteger(holder.pid) && holder.pid > 0 ? holder : undefined
  } catch {
    return undefined
  }
}

async function isAlive({ pid, birth }: LockHolder): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (isErrno(error, 'ESRCH')) return false
  }
  const bornNow = await processBirth(pid)
  return bornNow === undefined || birth === undefined || bornNow === birth
}

/**
 * Distinguishes two processes with the same id. Ids are reused, in a restarted container almost immediately. Undefined
 * if it cannot be determined.
 */
async function processBirth(pid: number): Promise<string | undefined> {
  try {
    if (process.platform !== 'linux') {
      const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)])
      return stdout.trim()
    }
    const status = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return 'ended'
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    return `${boot.trim()}:${fields[19]}`
  } catch {
    return undefined
  }
}

function inUse(dataDir: string, { pid, since, address }: LockHolder): string {
  const serving = address ? ` (${address})` : ''
  return `DATA_DIR "${dataDir}" has been in use by process ${pid} since ${since}${serving}: stop it or choose another DATA_DIR`
}

/** Turns file system errors into a StartError that names the setting, which the operator has to change. */
export async function explainingDataDir<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StartError || !(error instanceof Error && 'code' in error)) throw error
    const found = await stat(dataDir).catch(() => undefined)
    if (found && !found.isDirectory())
      throw new StartError(`DATA_DIR "${dataDir}" is not a folder: choose another`, { cause: error })
    throw new StartError(`DATA_DIR "${dataDir}" cannot be used: ${error.message}`, { cause: error })
  }
}
