import { sql } from 'kysely'
import type pg from 'pg'
import type { z } from 'zod'
import type { ServiceClock } from '../clock.ts'
import type { Tx } from '../database/database.ts'

/** A promise kept later. It carries ids, looks at the world again, and is safe to run twice. */
export interface Job<Services, Payload extends z.ZodType> {
  readonly name: string
  readonly payload: Payload
  /** Jobs of one queue run one at a time, in order. */
  readonly queue?: (payload: z.output<Payload>) => string
  /** After so many failures the job is dead: kept, counted, and left for a person. */
  readonly attempts: number
  /** Runs by itself, once in such a while, in one process of all. */
  readonly every?: 'hour'
  run(services: Services, payload: z.output<Payload>): Promise<void>
}

export interface EnqueueOptions {
  /** On the service's clock; left out: now. */
  readonly runAt?: Date
  /** A waiting job with the same key is replaced, so that many requests for one thing become one. */
  readonly key?: string
}

/** Takes a transaction: the change and the promise are kept together or not at all. */
export async function enqueue<Payload extends z.ZodType>(
  tx: Tx,
  clock: ServiceClock,
  job: Pick<Job<never, Payload>, 'name' | 'queue' | 'attempts'> & { readonly payload: Payload },
  payload: z.input<Payload>,
  options: EnqueueOptions = {},
): Promise<void> {
  const checked = job.payload.parse(payload)
  // The queue runs on the database's clock, ours may be ahead of it.
  const runAt = options.runAt ? new Date(options.runAt.getTime() - clock.offsetMs) : null
  await sql`SELECT graphile_worker.add_job(
    ${job.name}, payload => ${JSON.stringify(checked)}::json, queue_name => ${job.queue?.(checked) ?? null},
    run_at => ${runAt}::timestamptz, max_attempts => ${job.attempts}::int, job_key => ${options.key ?? null})`.execute(
    tx,
  )
}

/** When the service's clock moves forward, what was promised for later is due that much sooner. */
export async function hastenJobs(pool: pg.Pool, milliseconds: number): Promise<void> {
  await pool.query(
    `UPDATE graphile_worker._private_jobs SET run_at = run_at - make_interval(secs => $1)
     WHERE locked_at IS NULL AND attempts < max_attempts`,
    [milliseconds / 1000],
  )
  await pool.query(`SELECT pg_notify('jobs:insert', '{"r":0.5,"count":1}')`)
}

/** Jobs that used up their attempts: kept for a person to look at. */
export async function countDeadJobs(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ dead: number }>(
    'SELECT count(*)::int AS dead FROM graphile_worker._private_jobs WHERE attempts >= max_attempts AND locked_at IS NULL',
  )
  return rows[0]?.dead ?? 0
}
