import type pg from 'pg'

// The queue's SQL. Every time comes from the caller, so that the queue lives on the service's clock.

export interface ClaimedJob {
  readonly id: string
  readonly name: string
  readonly payload: unknown
  readonly attempts: number
  readonly max_attempts: number
}

/** Each advisory lock of this class is a living worker process. */
export const workerLockClass = 7_065_512

/** Jobs of one name, or of all but some. */
export type Which = { readonly only: string } | { readonly except: readonly string[] }

/**
 * Takes up to `most` due jobs, those that give way last. Of a queue only the first that is due may go, and only while
 * none of it runs; where two processes still take one each, because they could not see each other, the unique index lets
 * one of them have it.
 */
export async function claimJobs(
  pool: pg.Pool,
  claimant: number,
  most: number,
  now: Date,
  which: Which = { except: [] },
): Promise<ClaimedJob[]> {
  const names = 'only' in which ? [which.only] : which.except
  const values = [claimant, now, most, names, 'only' in which]
  try {
    const { rows } = await pool.query<ClaimedJob>({ name: 'claim-jobs', text: claim, values })
    return rows
  } catch (error) {
    if ((error as pg.DatabaseError).constraint === 'jobs_one_of_queue') return []
    throw error
  }
}

// Materialized: as a part of the join it may be run once for each job, and a limit that is counted anew is none.
const claim = `
  WITH due AS MATERIALIZED (
    SELECT id FROM jobs job WHERE claimed_by IS NULL AND dead_at IS NULL AND run_at <= $2
      AND (name = ANY($4::text[])) = $5
      AND (queue IS NULL OR NOT EXISTS (
        SELECT FROM jobs other WHERE other.queue = job.queue AND other.dead_at IS NULL
          AND (other.claimed_by IS NOT NULL OR (other.run_at, other.id) < (job.run_at, job.id))))
    ORDER BY low_priority, run_at, id LIMIT $3 FOR UPDATE SKIP LOCKED)
  UPDATE jobs SET claimed_by = $1, attempts = attempts + 1 WHERE id IN (SELECT id FROM due)
  RETURNING id, name, payload, attempts, max_attempts`

/** One attempt at a job: what comes of it is written down for that attempt only, however late. */
export type Attempt = Pick<ClaimedJob, 'id' | 'attempts'>

export async function finishJob(pool: pg.Pool, { id, attempts }: Attempt, claimant: number): Promise<void> {
  await pool.query({
    name: 'finish-job',
    text: 'DELETE FROM jobs WHERE id = $1 AND claimed_by = $2 AND attempts = $3',
    values: [id, claimant, attempts],
  })
}

export interface Failure {
  readonly cause: string
  /** Null: no further attempt. */
  readonly retryAt: Date | null
  readonly now: Date
}

export async function failJob(
  pool: pg.Pool,
  { id, attempts }: Attempt,
  claimant: number,
  { cause, retryAt, now }: Failure,
): Promise<void> {
  await pool.query(
    `UPDATE jobs SET claimed_by = NULL, last_error = $3, run_at = coalesce($4, run_at), dead_at = CASE WHEN $4::timestamptz IS NULL THEN $5::timestamptz END
     WHERE id = $1 AND claimed_by = $2 AND attempts = $6`,
    [id, claimant, cause, retryAt, now, attempts],
  )
}

/**
 * Gives back what this process took and does not run, as if it had not taken it: what it will not finish, or what it
 * took without learning of it because the answer was lost.
 */
export async function returnJobs(pool: pg.Pool, claimant: number, except: readonly string[]): Promise<void> {
  await pool.query(
    'UPDATE jobs SET claimed_by = NULL, attempts = attempts - 1 WHERE claimed_by = $1 AND id <> ALL($2::bigint[])',
    [claimant, except],
  )
}

/**
 * Who took jobs and holds no lock: a process that died, or one whose session broke a moment ago and will be back. A
 * worker holds its lock before it takes its first job, and PostgreSQL drops it with the session.
 */
export async function listLostClaimants(pool: pg.Pool): Promise<number[]> {
  const { rows } = await pool.query<{ claimed_by: number }>(
    `SELECT DISTINCT claimed_by FROM jobs WHERE claimed_by IS NOT NULL AND claimed_by NOT IN (
       SELECT objid::int FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
    [workerLockClass],
  )
  return rows.map((row) => row.claimed_by)
}

/** Gives back the jobs of processes that died. A job that took its process down at every attempt is dead like one that failed. */
export async function returnOrphanedJobs(pool: pg.Pool, claimants: readonly number[], now: Date): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE jobs SET claimed_by = NULL, dead_at = CASE WHEN attempts >= max_attempts THEN $2::timestamptz END
     WHERE claimed_by = ANY($1::int[])`,
    [claimants, now],
  )
  return rowCount ?? 0
}

/** Promises the next run of a job that runs by itself, unless it is promised already; one that died gets another chance. */
export async function scheduleJob(pool: pg.Pool, name: string, attempts: number, runAt: Date): Promise<void> {
  await pool.query(
    `INSERT INTO jobs (name, payload, key, run_at, max_attempts) VALUES ($1, '{}', $2, $3, $4)
     ON CONFLICT (key) DO UPDATE SET run_at = excluded.run_at, attempts = 0, dead_at = NULL WHERE jobs.dead_at IS NOT NULL`,
    [name, `every:${name}`, runAt, attempts],
  )
}

/** Jobs that used up their attempts: kept for a person to look at. */
export async function countDeadJobs(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ dead: number }>(
    'SELECT count(*)::int AS dead FROM jobs WHERE dead_at IS NOT NULL',
  )
  return rows[0]?.dead ?? 0
}
