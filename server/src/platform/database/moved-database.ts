import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { explainingDataDir, isErrno, StartError } from '../data-dir.ts'

// A service that was moved to an external database, but is started without DATABASE_URL, would use the old one: its writes
// would be lost, and it would give out addresses that the new one does not know. So the old one is marked.

const pathOf = (dataDir: string): string => join(resolve(dataDir), 'database-moved')

/** Marks the embedded database as no longer used. */
export const markMoved = (dataDir: string, to: string, now: Date): Promise<void> =>
  writeFile(pathOf(dataDir), `${now.toISOString()} to ${to}\n`)

export const clearMoved = (dataDir: string): Promise<void> => rm(pathOf(dataDir), { force: true })

/** Throws if the embedded database was moved away. */
export async function requireNotMoved(dataDir: string): Promise<void> {
  const mark = await explainingDataDir(dataDir, () => readFile(pathOf(dataDir), 'utf8').catch(ignoreMissing))
  if (mark !== undefined)
    throw new StartError(
      `DATABASE_URL: is not set, and the database in DATA_DIR was moved away (${mark.trim()}); set it, or remove ${pathOf(dataDir)} to go on with the old one`,
    )
}

function ignoreMissing(error: unknown): undefined {
  if (!isErrno(error, 'ENOENT')) throw error
}
