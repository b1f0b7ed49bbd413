import type pg from 'pg'

// The queue's SQL. Callers pass every time, so that the queue uses the service's clock.

export interface ClaimedJob {
  readonly id: string
  readonly name: string
  readonly payload: unknown
  readonly attempts: number
  readonly max_attempts: number
}

/** Each advisory lock of this class is held by a running worker process. */
export const workerLockClass = 7_065_512

/** Jobs with one name, or all jobs except some names. */
export type Which = { readonly only: string } | { readonly except: readonly string[] }

/**
 * Claims up to `most` due jobs, low priority last. Of a queue only the first due job can be claimed, and only while none
 * of the queue is running. If two processes claim at the same moment and do not see each other, the unique index
 * `jobs_one_of_queue` lets only one of them succeed.
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

// MATERIALIZED: as part of the join, the subquery could run once for each job, and the limit would not hold.
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

/** One attempt at a job. Its outcome is stored for that attempt only, however late it comes. */
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
  /** Null if there is no further attempt. */
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
 * Releases the jobs that this process claimed but is not running, as if it had not claimed them: those it will not finish,
 * and those it never heard of because the reply to its claim was lost.
 */
export async function returnJobs(pool: pg.Pool, claimant: number, except: readonly string[]): Promise<void> {
  await pool.query(
    'UPDATE jobs SET claimed_by = NULL, attempts = attempts - 1 WHERE claimed_by = $1 AND id <> ALL($2::bigint[])',
    [claimant, except],
  )
}

/**
 * Lists claimants that hold no lock: a process that died, or one that lost its connection a moment ago and will be back.
 * A worker takes its lock before it claims its first job, and PostgreSQL releases the lock with the connection.
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

/** Releases the jobs of processes that died. A job whose process died at every attempt is dead, like one that failed. */
export async function returnOrphanedJobs(pool: pg.Pool, claimants: readonly number[], now: Date): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE jobs SET claimed_by = NULL, dead_at = CASE WHEN attempts >= max_attempts THEN $2::timestamptz END
     WHERE claimed_by = ANY($1::int[])`,
    [claimants, now],
  )
  return rowCount ?? 0
}

/** Schedules the next run of a recurring job, unless it is already scheduled. A dead one is scheduled again. */
export async function scheduleJob(pool: pg.Pool, name: string, attempts: number, runAt: Date): Promise<void> {
  await pool.query(
    `INSERT INTO jobs (name, payload, key, run_at, max_attempts) VALUES ($1, '{}', $2, $3, $4)
     ON CONFLICT (key) DO UPDATE SET run_at = excluded.run_at, attempts = 0, dead_at = NULL WHERE jobs.dead_at IS NOT NULL`,
    [name, `every:${name}`, runAt, attempts],
  )
}

/** Jobs that used up their attempts and wait for a person. */
export async function countDeadJobs(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ dead: number }>(
    'SELECT count(*)::int AS dead FROM jobs WHERE dead_at IS NOT NULL',
  )
  return rows[0]?.dead ?? 0
}
