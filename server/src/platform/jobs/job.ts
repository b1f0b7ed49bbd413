import { sql } from 'kysely'
import type { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Tx } from '../database/database.ts'

/** How often a recurring job can run, in milliseconds. */
export const intervals = { day: 86_400_000, hour: 3_600_000, '20 seconds': 20_000 } as const

/** Work that is done later. A job carries ids, reads the current state when it runs, and is safe to run twice. */
export interface Job<Services, Payload extends z.ZodType> {
  readonly name: string
  readonly payload: Payload
  /** Jobs of the same queue run one at a time. */
  readonly queue?: (payload: z.output<Payload>) => string
  /** After this many failures the job is dead: it stays in the table, is counted, and waits for a person. */
  readonly attempts: number
  /**
   * Runs only while nothing else is due, and never in all places of a process. For jobs that come in large numbers, or
   * wait for another server.
   */
  readonly lowPriority?: true
  /** The most that run at the same time in one process, so that slow jobs leave room for others. */
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
  /** Replaces a waiting job with the same key, so that many requests for one thing become one job. */
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
        payload = excluded.payload, run_at = excluded.run_at, attempts = 0, dead_at = NULL, last_error = NULL
      RETURNING id)
    SELECT pg_notify(${wakeChannel}, '') FROM added WHERE ${isDue}`.execute(tx)
}

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
