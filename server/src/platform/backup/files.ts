import { createHash } from 'node:crypto'
import { createReadStream, constants as flags } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, readFile, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { isErrno, StartError } from '../data-dir.ts'

// The files of DATA_DIR: secrets, stored objects, journal. Everything but the database and what belongs to a process.

const isOfProcess = (path: string): boolean => /^(postgres|lock|tmp)(\W|$)|\.(draft|new)$/.test(path)

export const BackedUpFiles = z.array(z.object({ path: z.string(), sha256: z.string() }))
export type BackedUpFiles = z.infer<typeof BackedUpFiles>

/**
 * Copies what is not there yet. Files that vanish meanwhile are left out. A file gets its name when it is whole: half of one,
 * left by a copy that was killed, would be kept by the next.
 */
export async function copyNewFiles(from: string, to: string): Promise<void> {
  for (const path of await listFiles(from)) {
    const target = join(to, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    if (await stat(target).catch(ignoreMissing)) continue
    try {
      await copyFile(join(from, path), `${target}.new`, flags.COPYFILE_FICLONE)
      await chmod(`${target}.new`, 0o600)
      await rename(`${target}.new`, target)
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error
    }
  }
}

export async function hashFiles(folder: string): Promise<BackedUpFiles> {
  const files: BackedUpFiles = []
  for (const path of await listFiles(folder)) files.push({ path, sha256: await hashFile(join(folder, path)) })
  return files
}

export async function verifyFiles(folder: string, files: BackedUpFiles): Promise<void> {
  for (const { path, sha256 } of files)
    if ((await hashFile(join(folder, path))) !== sha256) throw new StartError(`${join(folder, path)} is damaged`)
}

/** Throws if DATA_DIR has other secrets than the backup: the database would not work with them. */
export async function requireSameSecrets(backup: string, dataDir: string): Promise<void> {
  for (const name of ['nano-seed', 'service-secret']) {
    const [kept, there] = await Promise.all([readIfThere(join(backup, name)), readIfThere(join(dataDir, name))])
    if (kept !== undefined && there !== undefined && kept !== there)
      throw new StartError(`DATA_DIR: ${join(dataDir, name)} is another one than in the backup; use an empty folder`)
  }
}

const readIfThere = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(ignoreMissing)

function ignoreMissing(error: unknown): undefined {
  if (!isErrno(error, 'ENOENT')) throw error
}

async function listFiles(folder: string): Promise<string[]> {
  const paths: string[] = []
  const visit = async (below: string): Promise<void> => {
    for (const name of await readdir(join(folder, below))) {
      const path = join(below, name)
      if (isOfProcess(path)) continue
      // Follows links: stored objects may be on another disk.
      const found = await stat(join(folder, path)).catch(ignoreMissing)
      if (found?.isDirectory()) await visit(path)
      else if (found?.isFile()) paths.push(path)
    }
  }
  await visit('')
  return paths.sort()
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
