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

/** A pool or a connection. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>
}

/** A job that may be claimed, and how many of them. */
export interface ClaimableJob {
  readonly name: string
  readonly most: number
  readonly isLowPriority: boolean
  /** Jobs that are limited together have the same share. A job without one is limited by its own `most` only. */
  readonly share?: { readonly name: string; readonly most: number }
}

export interface ClaimOptions {
  readonly claimant: number
  readonly now: Date
  /** Jobs with other names are left alone: they belong to a newer version, which knows how to run them. */
  readonly jobs: readonly ClaimableJob[]
  readonly most: number
}

/**
 * Claims due jobs, low priority last. Of a queue only the first due job can be claimed, and only while none of the queue
 * is running. If two processes claim at the same moment and do not see each other, the unique index `jobs_one_of_queue`
 * lets only one of them succeed.
 */
export async function claimJobs(on: Queryable, { claimant, now, jobs, most }: ClaimOptions): Promise<ClaimedJob[]> {
  const claimable = jobs.filter((job) => job.most > 0 && (job.share?.most ?? 1) > 0)
  if (most <= 0 || claimable.length === 0) return []
  const values = [
    claimant,
    now,
    most,
    claimable.map(({ name }) => name),
    claimable.map((job) => Math.min(job.most, job.share?.most ?? most, most)),
    claimable.map(({ isLowPriority }) => isLowPriority),
    claimable.map(({ name, share }) => share?.name ?? `job ${name}`),
    claimable.map(({ share }) => share?.most ?? most),
  ]
  try {
    const { rows } = await on.query<ClaimedJob>({ name: 'claim-jobs', text: claimStatement, values })
    return rows
  } catch (error) {
    if ((error as pg.DatabaseError).constraint === 'jobs_one_of_queue') return []
    throw error
  }
}

/** Planner settings for claims: a plan that was made while few jobs waited must still be good when a million do. */
export const claimSettings = 'SET enable_seqscan = off; SET enable_bitmapscan = off'

/**
 * Looks at each name separately, so that it reads only jobs that it may claim, however many others wait. MATERIALIZED: as
 * part of the join, the subquery could run once for each job, and the limit would not hold.
 */
export const claimStatement = `
  WITH due AS MATERIALIZED (
    SELECT job.id, job.run_at, claimable.is_low, claimable.share, claimable.share_most
    FROM unnest($4::text[], $5::int[], $6::boolean[], $7::text[], $8::int[])
      AS claimable (name, most, is_low, share, share_most)
    CROSS JOIN LATERAL (
      SELECT id, run_at FROM jobs
      WHERE name = claimable.name AND claimed_by IS NULL AND dead_at IS NULL AND run_at <= $2
        AND (queue IS NULL OR (
          NOT EXISTS (SELECT FROM jobs running WHERE running.queue = jobs.queue AND running.claimed_by IS NOT NULL)
          AND NOT EXISTS (SELECT FROM jobs earlier WHERE earlier.queue = jobs.queue AND earlier.dead_at IS NULL
            AND (earlier.run_at, earlier.id) < (jobs.run_at, jobs.id))))
      ORDER BY run_at, id LIMIT claimable.most FOR UPDATE SKIP LOCKED) job
  ), chosen AS MATERIALIZED (
    SELECT id FROM (SELECT *, row_number() OVER (PARTITION BY share ORDER BY is_low, run_at, id) AS place FROM due) ranked
    WHERE place <= share_most ORDER BY is_low, run_at, id LIMIT $3)
  UPDATE jobs SET claimed_by = $1, attempts = attempts + 1 WHERE id = ANY (ARRAY(SELECT id FROM chosen))
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
 * and those it does not know of because the reply to its claim was lost.
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

/**
 * Ends the sessions of workers that have not reported for a while: frozen, or on a machine that is gone. Without the
 * session the worker's lock is free, and its jobs are released like those of a process that died. Returns how many.
 */
export async function endSilentWorkers(pool: pg.Pool, silenceMs: number): Promise<number> {
  const { rowCount } = await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity JOIN pg_locks USING (pid)
     WHERE locktype = 'advisory' AND classid = $1 AND granted AND datname = current_database()
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND state = 'idle' AND state_change < clock_timestamp() - make_interval(secs => $2)`,
    [workerLockClass, silenceMs / 1000],
  )
  return rowCount ?? 0
}

/** The names of waiting jobs that are not among those given. Reads one row for each name. */
export async function listOtherNames(pool: pg.Pool, known: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `WITH RECURSIVE waiting (name) AS (
       (SELECT name FROM jobs WHERE claimed_by IS NULL AND dead_at IS NULL ORDER BY name LIMIT 1)
       UNION ALL
       SELECT (SELECT jobs.name FROM jobs WHERE claimed_by IS NULL AND dead_at IS NULL AND jobs.name > waiting.name
         ORDER BY jobs.name LIMIT 1)
       FROM waiting WHERE waiting.name IS NOT NULL)
     SELECT name FROM waiting WHERE name <> ALL ($1::text[])`,
    [known],
  )
  return rows.map(({ name }) => name)
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
