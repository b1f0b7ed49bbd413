import { sql } from 'kysely'
import { recordAuditEntry } from '../accounts/audit-log-store.ts'
import type { Db, Tx } from '../platform/database/database.ts'
import { type DeadJobRow, removeDeadJob, reviveJob } from '../platform/jobs/dead-job-store.ts'
import { CommandRefused } from './command-refused.ts'
import type { Operator } from './open-operator.ts'
import type { Redact } from './redact.ts'

export type JobState = 'due' | 'later' | 'running' | 'dead'

export interface JobCount {
  readonly kind: string
  readonly state: JobState
  readonly count: number
  /** Since when the oldest is due or dead; when the next of those for later is due. Null for jobs that run first. */
  readonly oldestAt: string | null
}

export interface DeadJob {
  readonly id: string
  readonly kind: string
  readonly attempts: number
  readonly diedAt: string
  /** The ids of what the job works on. */
  readonly payload: string
  readonly error: string
}

const maxCounts = 1_000
const maxText = 500
/** How many jobs are changed in one transaction. */
const batchSize = 500

/** How many jobs there are of each kind, in each state. Reads the whole queue. */
export async function countJobs({ db, clock }: Operator): Promise<JobCount[]> {
  const { rows } = await sql<{ kind: string; state: JobState; count: string; oldest: Date | null }>`
    SELECT name AS kind, state, count(*) AS count, min(at) FILTER (WHERE at > '-infinity') AS oldest
    FROM (SELECT name, CASE WHEN dead_at IS NOT NULL THEN 'dead' WHEN claimed_by IS NOT NULL THEN 'running'
        WHEN run_at <= ${clock.now()} THEN 'due' ELSE 'later' END AS state, coalesce(dead_at, run_at) AS at FROM jobs) job
    GROUP BY name, state ORDER BY name, state LIMIT ${maxCounts}`.execute(db)
  return rows.map(({ kind, state, count, oldest }) => ({
    kind,
    state,
    count: Number(count),
    oldestAt: oldest?.toISOString() ?? null,
  }))
}

export interface DeadJobsQuery {
  readonly kind?: string | undefined
  readonly limit: number
}

/** Dead jobs with their last errors, oldest first. */
export async function listDeadJobs({ db }: Operator, redact: Redact, query: DeadJobsQuery): Promise<DeadJob[]> {
  const { rows } = await sql<DeadJobRow>`
    SELECT id, name, payload, attempts, last_error, dead_at FROM jobs
    WHERE dead_at IS NOT NULL AND (${query.kind ?? null}::text IS NULL OR name = ${query.kind ?? null})
    ORDER BY dead_at, id LIMIT ${query.limit}`.execute(db)
  return rows.map((row) => ({
    id: row.id,
    kind: row.name,
    attempts: row.attempts,
    diedAt: row.dead_at.toISOString(),
    payload: redact(JSON.stringify(row.payload)).slice(0, maxText),
    error: redact(row.last_error ?? '').slice(0, maxText),
  }))
}

/** One dead job by its id, or all of a kind. */
export type DeadJobs = { readonly id: string } | { readonly kind: string }

/** Has dead jobs tried again from the beginning. Returns how many. */
export const retryDeadJobs = (operator: Operator, which: DeadJobs): Promise<number> =>
  resolveDeadJobs(operator, which, async (tx, id) => {
    const now = operator.clock.now()
    const job = await reviveJob(tx, id, now)
    if (job) {
      const target = ['job', job.id] as const
      await recordAuditEntry(tx, { at: now, actorId: null, act: 'job.retry', target, details: { name: job.name } })
    }
    return job !== undefined
  })

/** Removes dead jobs for good. What they were stays in the audit log. Returns how many. */
export const dropDeadJobs = (operator: Operator, which: DeadJobs): Promise<number> =>
  resolveDeadJobs(operator, which, async (tx, id) => {
    const job = await removeDeadJob(tx, id)
    if (job) {
      const details = { name: job.name, payload: JSON.stringify(job.payload), lastError: job.last_error ?? '' }
      const target = ['job', job.id] as const
      await recordAuditEntry(tx, { at: operator.clock.now(), actorId: null, act: 'job.dismiss', target, details })
    }
    return job !== undefined
  })

async function resolveDeadJobs(
  { db }: Operator,
  which: DeadJobs,
  resolve: (tx: Tx, id: string) => Promise<boolean>,
): Promise<number> {
  const resolveAll = (ids: readonly string[]): Promise<number> =>
    db.transaction().execute(async (tx) => {
      let count = 0
      for (const id of ids) if (await resolve(tx, id)) count += 1
      return count
    })
  if ('id' in which) {
    const isId = /^[0-9]{1,18}$/.test(which.id)
    if (!isId || (await resolveAll([which.id])) === 0) throw new CommandRefused(`No dead job has the id ${which.id}.`)
    return 1
  }
  // Those that are dead now: one that dies again meanwhile is left for the next time.
  const last = await lastDeadId(db, which.kind)
  if (last === undefined) throw new CommandRefused(`There is no dead job of the kind ${which.kind}.`)
  let count = 0
  for (let after = '0'; ; ) {
    const { rows } = await sql<{ id: string }>`SELECT id FROM jobs
      WHERE dead_at IS NOT NULL AND name = ${which.kind} AND id > ${after}::bigint AND id <= ${last}::bigint
      ORDER BY id LIMIT ${batchSize}`.execute(db)
    const ids = rows.map(({ id }) => id)
    if (ids.length === 0) return count
    count += await resolveAll(ids)
    after = ids.at(-1)!
  }
}

async function lastDeadId(db: Db, kind: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string | null }>`SELECT max(id) AS id FROM jobs
    WHERE dead_at IS NOT NULL AND name = ${kind}`.execute(db)
  return rows[0]?.id ?? undefined
}
