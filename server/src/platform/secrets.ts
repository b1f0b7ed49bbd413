import { hkdfSync, randomBytes } from 'node:crypto'
import type { Generated } from 'kysely'
import { readOrCreateSecret, StartError } from './data-dir.ts'
import type { Db } from './database/database.ts'
import { readRing } from './secret-ring.ts'

declare module './database/tables.ts' {
  interface Tables {
    service_secret: { id: Generated<number>; fingerprint: string; newest: string | null }
  }
}

/** Keys that the service uses internally. Each is derived, for one purpose, from the secret in DATA_DIR. */
export interface Secrets {
  /** The key that signs now. */
  key(purpose: string): Buffer
  /** Secrets that signed before, the newest first. What they signed is still valid. */
  readonly older: readonly Secrets[]
  /** The secret that will sign next. Another process may use it already. */
  readonly next: Secrets | undefined
}

/** All secrets whose signatures are valid. To check a signature: `generationsOf(secrets).some((each) => …)`. */
export const generationsOf = (secrets: Secrets): readonly Secrets[] => [
  secrets,
  ...secrets.older,
  ...(secrets.next ? [secrets.next] : []),
]

/**
 * Purposes whose key never changes, because others have it or stored rows depend on it: receivers of webhooks have their
 * secret, browsers subscribed to our push key, and hashes are compared with stored ones.
 */
export const lastingPurposes = [
  'fingerprint',
  'setting-fingerprint',
  'webhook',
  'vapid',
  'mailbox',
  'subscriber-address',
  'payment-client',
  'readers',
  'gift-link',
  'checkout',
  'invitation',
  'oauth-client',
  'unsubscribe',
  'subscription',
] as const

/** Opens the secret in DATA_DIR. The first start creates it: not for a database that was used with another one. */
export async function openSecrets(dataDir: string, db: Db): Promise<Secrets> {
  const create = async () => {
    const bound = await db.selectFrom('service_secret').select('fingerprint').executeTakeFirst()
    if (bound)
      throw new StartError(`DATA_DIR: service-secret is missing, and this database was used with one; ${copyIt}`)
    return randomBytes(32).toString('hex')
  }
  return secretsFrom(await readOrCreateSecret(dataDir, 'service-secret', create))
}

/** @param text the content of the file: one secret, or a ring of them. */
export function secretsFrom(text: string): Secrets {
  const { current, older, next, lasting } = readRing(text)
  const first = older.at(-1)?.secret ?? current
  const derived = new Map<string, Buffer>(lasting)
  const isLasting = (purpose: string) => (lastingPurposes as readonly string[]).includes(purpose)
  return {
    ...generation(current, derived, (purpose) => (isLasting(purpose) ? first : current)),
    older: older.map(({ secret }) => generation(secret)),
    next: next === undefined ? undefined : generation(next),
  }
}

function generation(secret: string, derived = new Map<string, Buffer>(), secretFor = (_: string) => secret): Secrets {
  return {
    key(purpose) {
      const known = derived.get(purpose)
      if (known) return known
      const key = Buffer.from(hkdfSync('sha256', secretFor(purpose), 'pennypost', purpose, 32))
      derived.set(purpose, key)
      return key
    },
    older: [],
    next: undefined,
  }
}

/** Identifies a secret without revealing it. It stays the same when secrets are rotated. */
export const fingerprintOf = (secrets: Secrets): string => secrets.key('fingerprint').toString('hex')

/** Identifies one generation of a secret. */
const nameOf = (secrets: Secrets): string => secrets.key('generation').toString('hex')

/**
 * Whether a process with these secrets can use a database that was used with the others: they are the same, or the same
 * rotated since, with the key that signed then.
 */
export function replaces(secrets: Secrets, others: Secrets): boolean {
  const known = generationsOf(secrets).map(nameOf)
  const wanted = others.next ? [others, others.next] : [others]
  return isSameService(secrets, others) && wanted.every((each) => known.includes(nameOf(each)))
}

/** Whether one is the other, rotated once or several times. */
export const isSameService = (one: Secrets, other: Secrets): boolean => fingerprintOf(one) === fingerprintOf(other)

const copyIt = 'copy it from the other processes or a backup'

/**
 * Refuses to start with another secret than the one that this database was first used with, or without the newest of its
 * generations: sessions, keys and codes would be invalid. The first process binds its secret to the database.
 */
export async function verifySecrets(db: Db, secrets: Secrets): Promise<void> {
  const fingerprint = fingerprintOf(secrets)
  const current = nameOf(secrets)
  await db
    .insertInto('service_secret')
    .values({ fingerprint, newest: current })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  const bound = await db.selectFrom('service_secret').select(['fingerprint', 'newest']).executeTakeFirstOrThrow()
  if (bound.fingerprint !== fingerprint)
    throw new StartError(`DATA_DIR: service-secret is not the one that this database was used with; ${copyIt}`)
  const { newest } = bound
  if (newest === current) return
  const isKnown = newest === null || generationsOf(secrets).some((each) => nameOf(each) === newest)
  if (!isKnown) throw new StartError(`DATA_DIR: service-secret lacks the newest key that processes use; ${copyIt}`)
  // A process that only has it as the next one does not record an older generation.
  if (secrets.next && nameOf(secrets.next) === newest) return
  await db.updateTable('service_secret').set({ newest: current }).execute()
}
