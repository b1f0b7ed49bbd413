import type pg from 'pg'

/** An advisory lock of a session. */
export interface AdvisoryLock {
  readonly classId: number
  readonly id: number
}

/**
 * Whether a session holds this lock in the database that is asked. A session that took it under a random number is in the
 * same database then, whatever host or pooler either of them used, and not in a copy.
 */
export async function isLockHeld(client: Pick<pg.Pool, 'query'>, { classId, id }: AdvisoryLock): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = $1 AND objid = $2
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS held`,
    [classId, id],
  )
  return rows[0]!.held
}
