import { randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import { replaceSecret } from '../platform/data-dir.ts'
import { readRing, type SecretRing, writeRing } from '../platform/secret-ring.ts'
import { lastingPurposes, secretsFrom } from '../platform/secrets.ts'
import { CommandRefused } from './command-refused.ts'
import { readSecretFile } from './secrets.ts'

// The service secret is rotated in two steps, with a restart of every process after each, so that no process ever meets a
// signature of a key that it does not know. What the older keys signed stays valid until they are removed.

export type RotationStep = 'prepared' | 'changed'

/** Adds the next key, or has the next key sign from the next start on. */
export async function rotateServiceSecret(config: Pick<Config, 'dataDir' | 'role'>, now: Date): Promise<RotationStep> {
  const ring = await readFileRing(config)
  if (ring.next === undefined) {
    await replaceSecret(config.dataDir, 'service-secret', writeRing({ ...ring, next: randomBytes(32).toString('hex') }))
    return 'prepared'
  }
  const older = [{ secret: ring.current, until: now }, ...ring.older]
  await replaceSecret(
    config.dataDir,
    'service-secret',
    writeRing({ ...ring, current: ring.next, next: undefined, older }),
  )
  return 'changed'
}

// A session or a connected program that was not used for so long has ended.
const keptDays = 91

/**
 * Removes older keys. Refuses while what they signed may still be in use, unless `isForced`: then sessions that were not
 * used since the rotation end, and links in older emails do not work any more. Returns how many were removed.
 */
export async function removeOlderSecrets(
  config: Pick<Config, 'dataDir' | 'role'>,
  now: Date,
  isForced: boolean,
): Promise<number> {
  const ring = await readFileRing(config)
  if (ring.older.length === 0) return 0
  const secrets = secretsFrom(writeRing(ring))
  const endsAt = new Date(ring.older[0]!.until.getTime() + keptDays * 86_400_000)
  if (!isForced && now < endsAt)
    throw new CommandRefused(
      `Sessions that were signed with an older key may be in use until ${endsAt.toISOString().slice(0, 10)}.`,
      'Wait until then. If an older key is known to others, use --force: unused sessions and links in older emails end.',
    )
  const lasting = new Map(lastingPurposes.map((purpose) => [purpose as string, secrets.key(purpose)]))
  await replaceSecret(config.dataDir, 'service-secret', writeRing({ ...ring, older: [], lasting }))
  return ring.older.length
}

async function readFileRing(config: Pick<Config, 'dataDir' | 'role'>): Promise<SecretRing> {
  if (config.role === 'signer') throw new CommandRefused('The signer has no service-secret.')
  const text = await readSecretFile(config, 'service-secret')
  if (!text) throw new CommandRefused(`There is no service-secret in ${config.dataDir}.`)
  return readRing(text)
}
