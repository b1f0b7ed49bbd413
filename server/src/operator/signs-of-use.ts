import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export const embeddedDatabase = 'an embedded database'

// Secrets are no sign: they may be made before the first start.
const signs = {
  journal: 'a journal of payments',
  objects: 'stored objects',
  postgres: embeddedDatabase,
  tmp: 'the folder for temporary files, which a start creates last',
} as const

/** Files that checks of the disk leave. */
const isProbe = (name: string): boolean => name === '.probe' || name.startsWith('doctor-')

/** What shows that a service has run with this DATA_DIR. Empty if it is a new one. */
export async function findSignsOfUse(dataDir: string): Promise<string[]> {
  const found: string[] = []
  for (const [name, meaning] of Object.entries(signs)) {
    const files = await readdir(join(dataDir, name)).catch(() => undefined)
    if (files?.some((file) => !isProbe(file)) || (files && name === 'tmp')) found.push(meaning)
  }
  return found
}
