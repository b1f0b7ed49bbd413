import { randomInt } from 'node:crypto'
import pg from 'pg'
import { wakeChannel } from './job.ts'
import { workerLockClass } from './job-store.ts'

/** A database session of the worker's own: its lock says that the process lives, its ear is woken by new jobs. */
export interface WorkerSession {
  /** What this process's claims are marked with. */
  readonly claimant: number
  /** Opens it, or opens it again after it broke. Throws while the database is away. */
  ensure(): Promise<void>
  close(): Promise<void>
}

export function createWorkerSession(databaseUrl: string, onWake: () => void): WorkerSession {
  const claimant = randomInt(1, 2 ** 31 - 1)
  let client: pg.Client | undefined

  const open = async () => {
    const opening = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'pennypost worker',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    })
    const lost = () => {
      if (client !== opening) return
      client = undefined
      // At once: until the lock is back, others may take this process for dead.
      onWake()
    }
    opening.on('error', lost)
    opening.on('end', lost)
    opening.on('notification', onWake)
    try {
      await opening.connect()
      // The same lock as before, where a session was lost: what this process runs is still its own.
      await opening.query('SELECT pg_advisory_lock($1, $2)', [workerLockClass, claimant])
      await opening.query(`LISTEN ${wakeChannel}`)
    } catch (error) {
      await opening.end().catch(() => {})
      throw error
    }
    client = opening
  }

  return {
    claimant,
    async ensure() {
      if (!client) await open()
    },
    async close() {
      await client?.end().catch(() => {})
      client = undefined
    },
  }
}
