import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isErrno, StartError } from '../data-dir.ts'
import { isSameService, replaces, secretsFrom } from '../secrets.ts'
import { readArchive } from './archive.ts'
import type { Bytes } from './encryption.ts'
import { readSmall } from './parts.ts'

// The files of DATA_DIR: secrets, stored objects, journal. Everything but the database and what belongs to a process.

const isOfProcess = (path: string): boolean => /^(postgres|lock|tmp)(\W|$)|\.(draft|new)$/.test(path)
const maxSecretBytes = 64 * 1024
export const secretNames = ['nano-seed', 'service-secret']

/** Whether it is the journal, which grows: of all files, only these change. */
export const isJournal = (path: string): boolean => path.startsWith('journal/')

/** Lists the files to back up, those directly in the folder first: the secrets are among them. */
export async function listFiles(folder: string): Promise<string[]> {
  const paths: string[] = []
  const visit = async (below: string): Promise<void> => {
    for (const name of (await readdir(join(folder, below)).catch(ignoreMissing)) ?? []) {
      const path = join(below, name)
      if (isOfProcess(path)) continue
      // Follows links: stored objects may be on another disk.
      const found = await stat(join(folder, path)).catch(ignoreMissing)
      if (found?.isDirectory()) await visit(path)
      else if (found?.isFile()) paths.push(path)
    }
  }
  await visit('')
  const isBelow = (path: string) => Number(path.includes('/'))
  return paths.sort((one, other) => isBelow(one) - isBelow(other) || (one < other ? -1 : 1))
}

/**
 * Unpacks what is not there yet. A file gets its name when it is whole: half of one, left by a restore that was killed, would be
 * kept by the next.
 */
export async function extractNewFiles(archive: Bytes, folder: string): Promise<void> {
  for await (const { path, bytes } of readArchive(archive)) {
    if (!isPlain(path) || isOfProcess(path))
      throw new StartError(`the backup has a file that does not belong there: ${JSON.stringify(path)}`)
    const target = join(folder, path)
    if (await stat(target).catch(ignoreMissing)) continue
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await rm(`${target}.new`, { force: true })
    await pipeline(bytes, createWriteStream(`${target}.new`, { mode: 0o600, flags: 'wx', flush: true }))
    await rename(`${target}.new`, target)
  }
}

/** Whether a path is below the folder and written in the only way that `listFiles` writes it: not `./postgres` or `a//b`. */
const isPlain = (path: string): boolean =>
  path === normalize(path) && !/^(\/|\.\.?(\/|$))|\/$|\0/.test(path) && path !== ''

/**
 * Throws if DATA_DIR has secrets with which the database of the backup would not work. A service secret that was rotated since
 * the backup works, as long as it has the key of that time.
 */
export async function requireSameSecrets(archive: Bytes, dataDir: string): Promise<void> {
  for await (const { path, bytes } of readArchive(archive)) {
    // Those directly in the folder come first.
    if (path.includes('/')) return
    if (!secretNames.includes(path)) continue
    const there = await readFile(join(dataDir, path)).catch(ignoreMissing)
    if (!there) continue
    // What is called a secret in an archive may have any length.
    const inBackup = await readSmall(bytes, maxSecretBytes)
    if (there.toString() === inBackup) continue
    const problem = problemWith(path, there.toString(), inBackup)
    if (problem) throw new StartError(`DATA_DIR: ${join(dataDir, path)} ${problem}`)
  }
}

function problemWith(path: string, there: string, inBackup: string): string | undefined {
  const moveIt = 'move it elsewhere, keep it, and run this again: the backup has its own'
  if (path !== 'service-secret') return `is another one than in the backup; use an empty folder, or ${moveIt}`
  const [own, other] = [secretsFrom(there), secretsFrom(inBackup)]
  if (replaces(own, other)) return undefined
  return isSameService(own, other)
    ? `lacks the key that signed when the backup was made; ${moveIt}. People who signed in with a key that it lacks have to sign in again`
    : `belongs to another service than the backup; use an empty folder, or ${moveIt}`
}

function ignoreMissing(error: unknown): undefined {
  if (!isErrno(error, 'ENOENT')) throw error
}
