import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { replaceSecret } from '../platform/data-dir.ts'
import { isProcessSession } from '../platform/database/connection-budget.ts'
import { readRing, type SecretRing, writeRing } from '../platform/secret-ring.ts'
import { lastingPurposes, secretsFrom } from '../platform/secrets.ts'
import { CommandRefused } from './command-refused.ts'
import { connectToDatabase } from './find-running-database.ts'
import { readSecretFile } from './secrets.ts'

// The service secret is rotated in two steps, with a restart of every process after each, so that no process ever meets a
// signature of a key that it does not know. What the older keys signed stays valid until they are removed.

export type RotationStep = 'prepared' | 'changed'

/**
 * Adds the next key, or has the next key sign from the next start on. Refuses the latter while a process is connected to the
 * database that does not know the key yet. Without a database URL, none is running.
 */
export async function rotateServiceSecret(
  config: Pick<Config, 'dataDir' | 'role'>,
  now: Date,
  databaseUrl: string | undefined,
): Promise<RotationStep> {
  const ring = await readFileRing(config)
  if (ring.next === undefined) {
    await replaceSecret(config.dataDir, 'service-secret', writeRing({ ...ring, next: randomBytes(32).toString('hex') }))
    return 'prepared'
  }
  if (databaseUrl !== undefined) await requireRestarted(config, databaseUrl)
  const older = [{ secret: ring.current, until: now }, ...ring.older]
  await replaceSecret(
    config.dataDir,
    'service-secret',
    writeRing({ ...ring, current: ring.next, next: undefined, older }),
  )
  return 'changed'
}

const maxNamed = 5

/** Refuses if a process was started before the next key was added: it would not accept what that key signs. */
async function requireRestarted({ dataDir }: Pick<Config, 'dataDir'>, databaseUrl: string): Promise<void> {
  const { mtime } = await stat(join(dataDir, 'service-secret'))
  const client = await connectToDatabase(databaseUrl)
  try {
    const { rows } = await client.query<{ host: string | null; since: Date | null }>(
      // Every process has one such session from its start on. The signer has no such secret; PostgreSQL hides the start of other roles.
      `SELECT host(client_addr) AS host, backend_start AS since FROM pg_stat_activity
       WHERE ${isProcessSession} AND application_name !~ '^pennypost listener signer' AND (backend_start IS NULL OR backend_start < $1)
       ORDER BY backend_start`,
      [mtime],
    )
    if (rows.length === 0) return
    const named = rows
      .slice(0, maxNamed)
      .map(({ host, since }) =>
        since
          ? `at ${host ?? 'the machine of the database'} since ${since.toISOString()}`
          : 'one of another role, whose start is hidden without pg_read_all_stats',
      )
    const more = rows.length > maxNamed ? `, and ${rows.length - maxNamed} more` : ''
    const processes = rows.length === 1 ? '1 process has' : `${rows.length} processes have`
    throw new CommandRefused(
      `${processes} not been restarted since the new key was added (${mtime.toISOString()}): ${named.join(', ')}${more}.`,
      'Copy service-secret to every machine, restart every process, and run this again.',
    )
  } finally {
    await client.end().catch(() => {})
  }
}

// A session or a connected program that was not used for so long has ended.
const keptDays = 91

/**
 * Removes older keys. Refuses while what they signed may still be in use, unless `isForced`: then sessions that were not
 * used since the rotation end, and links in older emails stop working. Returns how many were removed.
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
