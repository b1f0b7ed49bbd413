import { hkdfSync, randomBytes } from 'node:crypto'
import type { Generated } from 'kysely'
import { readOrCreateSecret, StartError } from './data-dir.ts'
import type { Db } from './database/database.ts'

declare module './database/tables.ts' {
  interface Tables {
    service_secret: { id: Generated<number>; fingerprint: string }
  }
}

/** Keys that the service uses internally. Each is derived, for one purpose, from the secret in DATA_DIR. */
export interface Secrets {
  key(purpose: string): Buffer
}

export async function openSecrets(dataDir: string): Promise<Secrets> {
  return secretsFrom(await readOrCreateSecret(dataDir, 'service-secret', () => randomBytes(32).toString('hex')))
}

export function secretsFrom(master: string): Secrets {
  const derived = new Map<string, Buffer>()
  return {
    key(purpose) {
      const known = derived.get(purpose)
      if (known) return known
      const key = Buffer.from(hkdfSync('sha256', master, 'pennypost', purpose, 32))
      derived.set(purpose, key)
      return key
    },
  }
}

/** Tells two secrets apart without giving them away. The database has the one of the secret that it was first used with. */
export const fingerprintOf = (secrets: Secrets): string => secrets.key('fingerprint').toString('hex')

/**
 * Refuses to start with another secret than the one that this database was first used with: its sessions, keys and codes
 * would all be invalid. The first process binds its secret to the database.
 */
export async function verifySecrets(db: Db, secrets: Secrets): Promise<void> {
  const fingerprint = fingerprintOf(secrets)
  await db
    .insertInto('service_secret')
    .values({ fingerprint })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  const bound = await db.selectFrom('service_secret').select('fingerprint').executeTakeFirstOrThrow()
  if (bound.fingerprint !== fingerprint) {
    throw new StartError(
      'DATA_DIR: service-secret is not the one that this database was used with; copy it from the other processes or a backup',
    )
  }
}
