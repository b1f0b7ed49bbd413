import { randomInt } from 'node:crypto'
import type pg from 'pg'
import { StartError } from '../data-dir.ts'
import { isLockHeld } from './advisory-lock.ts'
import { createClient } from './client.ts'

// A pooler in transaction mode, such as pgbouncer, gives every transaction another session of PostgreSQL. Locks that are held
// as long as a session, LISTEN and settings of a session do not work there, and fail later and elsewhere.

const timeoutMs = 5_000
const rounds = 3

/** Stops the start if a database is reached through a pooler in transaction mode and there is no direct URL. */
export async function requireSessions(url: string, directUrl: string | undefined): Promise<void> {
  const setting = directUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
  if (await isTransactionPooler(directUrl ?? url, setting)) {
    throw new StartError(
      directUrl === undefined
        ? 'DATABASE_URL: is a pooler in transaction mode; set DATABASE_DIRECT_URL to PostgreSQL itself, for locks, notifications and migrations'
        : 'DATABASE_DIRECT_URL: is a pooler in transaction mode; it must be PostgreSQL itself',
    )
  }
  if (directUrl !== undefined) await requireSameDatabase(url, directUrl)
}

/** Whether connections do not have a session each: two get the same one, or one gets two. */
async function isTransactionPooler(url: string, setting: string): Promise<boolean> {
  const one = await open(url, setting)
  try {
    // PostgreSQL names its own process to a client; a pooler invents one.
    const { processID } = one as pg.Client & { processID?: number }
    if ((await pidOf(one)) === processID) return false
    for (let round = 0; round < rounds; round += 1) {
      const before = await pidOf(one)
      const other = await open(url, setting)
      try {
        // In a transaction, so that a pooler cannot give its session to another connection.
        await other.query('BEGIN')
        if ((await pidOf(other)) === before || (await pidOf(one)) !== before) return true
      } catch (error) {
        // Statement mode refuses transactions; a pool of one session hangs.
        if (isAboutPool(error)) return true
        throw error
      } finally {
        await other.end().catch(() => {})
      }
    }
    return false
  } finally {
    await one.end().catch(() => {})
  }
}

const isAboutPool = (error: unknown): boolean =>
  error instanceof Error &&
  /Query read timeout|transaction blocks not allowed|long transactions not allowed/.test(error.message)

async function pidOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]!.pid
}

/** Checks that both URLs lead to one database: a lock that is taken through one must be visible through the other. */
async function requireSameDatabase(url: string, directUrl: string): Promise<void> {
  const lock = { classId: probeLockClass, id: randomInt(1, 2 ** 31 - 1) }
  const direct = await open(directUrl, 'DATABASE_DIRECT_URL')
  try {
    await direct.query('SELECT pg_advisory_lock($1, $2)', [lock.classId, lock.id])
    const pooled = await open(url, 'DATABASE_URL')
    try {
      if (!(await isLockHeld(pooled, lock)))
        throw new StartError('DATABASE_DIRECT_URL: is another database than DATABASE_URL')
    } finally {
      await pooled.end().catch(() => {})
    }
  } finally {
    await direct.end().catch(() => {})
  }
}

const probeLockClass = 20_023

/** Connects, or throws an error that names the wrong setting instead of a place in the driver. */
async function open(url: string, setting: string): Promise<pg.Client> {
  try {
    // Making it fails too: it reads the files of certificates.
    const client = createClient({
      connectionString: url,
      application_name: 'pennypost start',
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
    })
    client.on('error', () => {})
    await client.connect()
    return client
  } catch (error) {
    throw new StartError(`${setting}: cannot connect to PostgreSQL: ${(error as Error).message}`, { cause: error })
  }
}
