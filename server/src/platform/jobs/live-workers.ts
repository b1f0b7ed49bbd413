import { randomInt } from 'node:crypto'
import type pg from 'pg'
import type { Log } from '../log.ts'

// The queue frees the jobs of a worker that died after four hours. Ours are free again as soon as the worker's database
// session has ended, which PostgreSQL notices at once when a process is killed: each process holds an advisory lock for
// its life, and whoever looks next releases what belongs to locks that nobody holds.
const lockClass = 7_065_512
const sweepEveryMs = 5_000

export interface HeldWorkers {
  release(): Promise<void>
}

/** Registers this process's workers as alive until it releases them or dies. */
export async function holdWorkers(pool: pg.Pool, workerIds: readonly string[], log: Log): Promise<HeldWorkers> {
  const lockKey = randomInt(2 ** 31 - 1)
  let session: pg.PoolClient | undefined

  const hold = async () => {
    const client = await pool.connect()
    // A lost session is a lost lock: take it again before anybody believes that we are gone.
    client.once('error', () => {
      session = undefined
    })
    await client.query('SELECT pg_advisory_lock($1, $2)', [lockClass, lockKey])
    session = client
  }
  const sweep = async () => {
    if (!session) await hold()
    await pool.query(
      `INSERT INTO job_workers (worker_id, lock_key) SELECT unnest($1::text[]), $2 ON CONFLICT (worker_id) DO NOTHING`,
      [workerIds, lockKey],
    )
    const freed = await releaseDeadWorkers(pool)
    if (freed > 0) log.warn({ workers: freed }, 'took over the jobs of workers that died')
  }

  await sweep()
  const timer = setInterval(() => {
    sweep().catch((error: Error) => log.warn({ cause: error.message }, 'could not look for dead workers'))
  }, sweepEveryMs)
  return {
    async release() {
      clearInterval(timer)
      await pool.query('DELETE FROM job_workers WHERE lock_key = $1', [lockKey]).catch(() => {})
      session?.release(true)
    },
  }
}

/**
 * Gives back the jobs of workers whose process is gone; answers how many workers that were. A worker registers a moment
 * after it begins to take jobs, so one that nobody registered is given half a minute.
 */
export async function releaseDeadWorkers(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ worker_id: string }>(
    `WITH dead AS (
       DELETE FROM job_workers WHERE NOT EXISTS (
         SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objid = job_workers.lock_key AND granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       ) RETURNING worker_id
     )
     SELECT worker_id FROM dead
     UNION SELECT locked_by FROM graphile_worker._private_jobs
       WHERE locked_at < now() - interval '30 seconds' AND locked_by NOT IN (SELECT worker_id FROM job_workers)`,
    [lockClass],
  )
  const workerIds = rows.map((row) => row.worker_id)
  if (workerIds.length > 0) await pool.query('SELECT graphile_worker.force_unlock_workers($1)', [workerIds])
  return workerIds.length
}
