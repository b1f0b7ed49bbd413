import { sql } from 'kysely'
import type { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Tx } from '../database/database.ts'

/** How often a recurring job can run, in milliseconds. */
export const intervals = { day: 86_400_000, hour: 3_600_000, '20 seconds': 20_000 } as const

/**
 * How many jobs of each share run at the same time in one process. Together they leave places in the worker. So jobs
 * without a share, such as payouts, never wait for jobs that anyone can cause in large numbers or that wait for another
 * server.
 */
export const shares = {
  /** Codes and notices that people wait for. */
  codes: 2,
  /** Finding out who is notified of a comment or a post. */
  notifications: 2,
  /** Emails and pushes about notifications. */
  deliveries: 4,
  /** Requests to servers that authors chose, which may be slow. */
  webhooks: 4,
  /** Files that are screened or cleaned up. */
  uploads: 4,
  /** Work that may wait until nothing else is due. */
  spare: 2,
} as const

/** Work that is done later. A job carries ids, reads the current state when it runs, and is safe to run twice. */
export interface Job<Services, Payload extends z.ZodType> {
  readonly name: string
  readonly payload: Payload
  /** Jobs of the same queue run one at a time. */
  readonly queue?: (payload: z.output<Payload>) => string
  /** After this many failures the job is dead: it stays in the table, is counted, and waits for a person. */
  readonly attempts: number
  /** Runs only while nothing else is due. For jobs that come in large numbers. */
  readonly lowPriority?: true
  /** Shares its places in a process with other jobs, so that all of them together leave room for payouts. */
  readonly share?: keyof typeof shares
  /** The most of this job that run at the same time in one process. */
  readonly concurrency?: number
  /** Makes the job recurring. Each run takes place in one process only. */
  readonly every?: keyof typeof intervals
  run(services: Services, payload: z.output<Payload>): Promise<void>
  /** Called when the last attempt has failed. The job is then finished instead of dead. */
  onLastFailure?(services: Services, payload: z.output<Payload>): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: a list of jobs holds payloads of every type; each job checks its own
export type AnyJob<Services> = Job<Services, z.ZodType<any, any>>

export interface EnqueueOptions {
  /** Defaults to now. */
  readonly runAt?: Date
  /**
   * Replaces a waiting job with the same key, so that many requests for one thing become one job. Two jobs may share keys, if
   * they have the same payload and queue and one has low priority: the other one then stays, whichever came first.
   */
  readonly key?: string
}

/** The channel that wakes workers. Notifications are sent when the transaction commits. */
export const wakeChannel = 'jobs'

/** Adds a job in a transaction: the change and its job are committed together or not at all. */
export async function enqueue<Payload extends z.ZodType>(
  tx: Tx,
  clock: Clock,
  job: Pick<Job<never, Payload>, 'name' | 'queue' | 'attempts' | 'lowPriority'> & { readonly payload: Payload },
  payload: z.input<Payload>,
  { runAt, key }: EnqueueOptions = {},
): Promise<void> {
  const checked = job.payload.parse(payload)
  const now = clock.now()
  // A job that is already running is not replaced: this one runs after it.
  if (key) await sql`UPDATE jobs SET key = NULL WHERE key = ${key} AND claimed_by IS NOT NULL`.execute(tx)
  // Jobs for later are found by polling. NOTIFY has a cost: transactions that use it commit one at a time.
  const isDue = !runAt || runAt <= now
  await sql`
    WITH added AS (
      INSERT INTO jobs (name, payload, queue, key, run_at, max_attempts, low_priority)
      VALUES (${job.name}, ${JSON.stringify(checked)}, ${job.queue?.(checked) ?? null}, ${key ?? null}, ${runAt ?? now}, ${job.attempts}, ${job.lowPriority ?? false})
      ON CONFLICT (key) DO UPDATE SET
        name = CASE WHEN excluded.low_priority THEN jobs.name ELSE excluded.name END,
        max_attempts = CASE WHEN excluded.low_priority THEN jobs.max_attempts ELSE excluded.max_attempts END,
        low_priority = jobs.low_priority AND excluded.low_priority,
        payload = excluded.payload, run_at = excluded.run_at, attempts = 0, dead_at = NULL, last_error = NULL
      RETURNING id)
    SELECT pg_notify(${wakeChannel}, '') FROM added WHERE ${isDue}`.execute(tx)
}

/** Removes the waiting job with this key. A running one has to check whether it is still wanted. */
export const removeJob = (tx: Tx, key: string): Promise<unknown> =>
  sql`DELETE FROM jobs WHERE key = ${key} AND claimed_by IS NULL`.execute(tx)

/** Adds many jobs of one kind in one statement. They run separately; none replaces another. */
export async function enqueueMany<Payload extends z.ZodType>(
  tx: Tx,
  clock: Clock,
  job: Pick<Job<never, Payload>, 'name' | 'queue' | 'attempts' | 'lowPriority'> & { readonly payload: Payload },
  payloads: readonly z.input<Payload>[],
): Promise<void> {
  if (payloads.length === 0) return
  const jobs = payloads.map((payload) => {
    const checked = job.payload.parse(payload)
    return { payload: checked, queue: job.queue?.(checked) ?? null }
  })
  await sql`
    INSERT INTO jobs (name, payload, queue, run_at, max_attempts, low_priority)
    SELECT ${job.name}, added.payload, added.queue, ${clock.now()}, ${job.attempts}, ${job.lowPriority ?? false}
    FROM jsonb_to_recordset(${JSON.stringify(jobs)}::jsonb) AS added(payload jsonb, queue text)`.execute(tx)
  await sql`SELECT pg_notify(${wakeChannel}, '')`.execute(tx)
}

/**
 * Moves waiting jobs of a queue to a later time, those whose payload has one of these values. Otherwise many jobs would
 * find out one after the other that it is too early, and keep other queues waiting.
 */
export async function postponeQueued(
  tx: Tx,
  queue: string,
  { field, values }: { readonly field: string; readonly values: readonly string[] },
  until: Date,
): Promise<void> {
  await sql`
    UPDATE jobs SET run_at = ${until}
    WHERE queue = ${queue} AND claimed_by IS NULL AND dead_at IS NULL AND run_at < ${until}
      AND payload ->> ${field}::text = ANY (${values}::text[])`.execute(tx)
}
