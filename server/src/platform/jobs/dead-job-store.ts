import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import { wakeChannel } from './job.ts'

export interface DeadJobRow {
  readonly id: string
  readonly name: string
  readonly payload: Record<string, unknown>
  readonly attempts: number
  readonly last_error: string | null
  readonly dead_at: Date
}

export interface DeadJobPosition {
  readonly at: Date
  readonly id: string
}

/** Dead jobs, oldest first, after a position if one is given. */
export async function listDeadJobRows(
  db: Db,
  after: DeadJobPosition | undefined,
  limit: number,
): Promise<DeadJobRow[]> {
  const { rows } = await sql<DeadJobRow>`
    SELECT id, name, payload, attempts, last_error, dead_at FROM jobs
    WHERE dead_at IS NOT NULL AND (dead_at, id) > (${after?.at ?? '-infinity'}::timestamptz, ${after?.id ?? null}::bigint)
    ORDER BY dead_at, id LIMIT ${limit}`.execute(db)
  return rows
}

/** Returns undefined if no dead job has this id. */
export async function reviveJob(tx: Tx, id: string, now: Date): Promise<DeadJobRow | undefined> {
  const { rows } = await sql<DeadJobRow>`
    UPDATE jobs SET dead_at = NULL, attempts = 0, run_at = ${now} WHERE id = ${id} AND dead_at IS NOT NULL
    RETURNING id, name, payload, attempts, last_error, dead_at`.execute(tx)
  if (rows[0]) await sql`SELECT pg_notify(${wakeChannel}, '')`.execute(tx)
  return rows[0]
}

/** Returns undefined if no dead job has this id. */
export async function removeDeadJob(tx: Tx, id: string): Promise<DeadJobRow | undefined> {
  const { rows } = await sql<DeadJobRow>`
    DELETE FROM jobs WHERE id = ${id} AND dead_at IS NOT NULL
    RETURNING id, name, payload, attempts, last_error, dead_at`.execute(tx)
  return rows[0]
}
