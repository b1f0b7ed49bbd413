import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PASSWORD_FILE } from '../platform/database/postgres-cluster.ts'

export const embeddedDatabase = 'an embedded database'

// Secrets are no sign: they may be made before the first start.
const signs = {
  journal: 'a journal of payments',
  objects: 'stored objects',
  tmp: 'the folder for temporary files, which a start creates last',
} as const

/** Files that checks of the disk leave. */
const isProbe = (name: string): boolean => name === '.probe' || name.startsWith('doctor-')

/** What shows that a service has run with this DATA_DIR. Empty if it is a new one. */
export async function findSignsOfUse(dataDir: string): Promise<string[]> {
  const found: string[] = []
  // Its folder may belong to another account. One without our password file beside it is the folder of another server.
  if (['postgres', PASSWORD_FILE].every((name) => existsSync(join(dataDir, name)))) found.push(embeddedDatabase)
  for (const [name, meaning] of Object.entries(signs)) {
    const files = await readdir(join(dataDir, name)).catch(() => undefined)
    if (files?.some((file) => !isProbe(file)) || (files && name === 'tmp')) found.push(meaning)
  }
  return found
}
