import { sql } from 'kysely'
import type { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Tx } from '../database/database.ts'

/** How often a job can run by itself, in milliseconds. */
export const intervals = { day: 86_400_000, hour: 3_600_000, '20 seconds': 20_000 } as const

/** A promise kept later. It carries ids, looks at the world again, and is safe to run twice. */
export interface Job<Services, Payload extends z.ZodType> {
  readonly name: string
  readonly payload: Payload
  /** Jobs of one queue run one at a time. */
  readonly queue?: (payload: z.output<Payload>) => string
  /** After so many failures the job is dead: kept, counted, and left for a person. */
  readonly attempts: number
  /** Taken only while nothing else is due: for what comes in crowds. */
  readonly lowPriority?: true
  /** So many of them run at once in a process, so that slow ones leave room for others. */
  readonly concurrency?: number
  /** Runs by itself, once in such a while, in one process of all. */
  readonly every?: keyof typeof intervals
  run(services: Services, payload: z.output<Payload>): Promise<void>
  /** What is left to do when the last attempt failed. The job ends with it, and nobody has to look at it. */
  onLastFailure?(services: Services, payload: z.output<Payload>): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: a list of jobs holds payloads of every type; each job checks its own
export type AnyJob<Services> = Job<Services, z.ZodType<any, any>>

export interface EnqueueOptions {
  /** Left out: now. */
  readonly runAt?: Date
  /** A waiting job with the same key is replaced, so that many requests for one thing become one. */
  readonly key?: string
}

/** What wakes workers; sent with the transaction's commit. */
export const wakeChannel = 'jobs'

/** Takes a transaction: the change and the promise are kept together or not at all. */
export async function enqueue<Payload extends z.ZodType>(
  tx: Tx,
  clock: Clock,
  job: Pick<Job<never, Payload>, 'name' | 'queue' | 'attempts' | 'lowPriority'> & { readonly payload: Payload },
  payload: z.input<Payload>,
  { runAt, key }: EnqueueOptions = {},
): Promise<void> {
  const checked = job.payload.parse(payload)
  const now = clock.now()
  // One that runs already keeps its promise; what is asked for now is another one.
  if (key) await sql`UPDATE jobs SET key = NULL WHERE key = ${key} AND claimed_by IS NOT NULL`.execute(tx)
  // What is due later is found by looking. To tell of it would cost: transactions that tell commit one at a time.
  const isDue = !runAt || runAt <= now
  await sql`
    WITH promised AS (
      INSERT INTO jobs (name, payload, queue, key, run_at, max_attempts, low_priority)
      VALUES (${job.name}, ${JSON.stringify(checked)}, ${job.queue?.(checked) ?? null}, ${key ?? null}, ${runAt ?? now}, ${job.attempts}, ${job.lowPriority ?? false})
      ON CONFLICT (key) DO UPDATE SET
        payload = excluded.payload, run_at = excluded.run_at, attempts = 0, dead_at = NULL, last_error = NULL
      RETURNING id)
    SELECT pg_notify(${wakeChannel}, '') FROM promised WHERE ${isDue}`.execute(tx)
}

/** Many promises of one kind in one statement. Each runs on its own; none replaces another. */
export async function enqueueMany<Payload extends z.ZodType>(
  tx: Tx,
  clock: Clock,
  job: Pick<Job<never, Payload>, 'name' | 'queue' | 'attempts' | 'lowPriority'> & { readonly payload: Payload },
  payloads: readonly z.input<Payload>[],
): Promise<void> {
  if (payloads.length === 0) return
  const promises = payloads.map((payload) => {
    const checked = job.payload.parse(payload)
    return { payload: checked, queue: job.queue?.(checked) ?? null }
  })
  await sql`
    INSERT INTO jobs (name, payload, queue, run_at, max_attempts, low_priority)
    SELECT ${job.name}, promise.payload, promise.queue, ${clock.now()}, ${job.attempts}, ${job.lowPriority ?? false}
    FROM jsonb_to_recordset(${JSON.stringify(promises)}::jsonb) AS promise(payload jsonb, queue text)`.execute(tx)
  await sql`SELECT pg_notify(${wakeChannel}, '')`.execute(tx)
}
