import { setTimeout as wait } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'

const defaultSize = 10_000
// After each batch it waits as long as the batch took, so that others get half of the disk at least.
const maxWaitMs = 2_000
// A job that runs every hour goes on in the next one.
const maxDurationMs = 10 * 60_000

/**
 * Deletes all rows of a table that fulfil a condition, some thousand at a time: a statement that deletes millions takes
 * longer than the database allows it, and the next attempt would find even more. The condition needs an index.
 */
export async function deleteInBatches(
  db: Db,
  table: string,
  condition: RawBuilder<unknown>,
  size = defaultSize,
): Promise<void> {
  const endsAt = performance.now() + maxDurationMs
  for (let deleted = size; deleted === size && performance.now() < endsAt; ) {
    const startedAt = performance.now()
    const { numAffectedRows } = await sql`DELETE FROM ${sql.table(table)} WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM ${sql.table(table)} WHERE ${condition} LIMIT ${size}))`.execute(db)
    deleted = Number(numAffectedRows)
    if (deleted === size) await wait(Math.min(maxWaitMs, performance.now() - startedAt))
  }
}
