import { sql } from 'kysely'
import { z } from 'zod'
import type { Job } from '../jobs/job.ts'
import type { PlatformServices } from '../services.ts'
import type { Db } from './database.ts'

/**
 * Makes partitions before they are needed, and keeps the statistics of the tables that have some. The database function
 * `make_partitions` knows which ones. Of two that run at the same time, one does nothing.
 */
export const makePartitions: Job<PlatformServices, z.ZodObject> = {
  name: 'make-partitions',
  payload: z.object({}),
  // It gives up immediately when a backup or a long transaction is in its way.
  attempts: 12,
  every: 'day',
  share: 'spare',
  async run({ db, log }) {
    const { rows } = await sql<{ made: number }>`SELECT make_partitions() AS made`.execute(db)
    const { made } = rows[0]!
    if (made > 0) log.info({ made }, 'partitions were made')
    for (const table of await listGrown(db)) await analyze(db, table)
  },
}

/**
 * Tables that have grown by a third since their statistics were made. PostgreSQL makes those of each partition, but never those of
 * all of them together, without which it takes a join for thousands of times larger than it is.
 */
async function listGrown(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT whole.relname AS name FROM pg_class whole JOIN pg_inherits ON inhparent = whole.oid
    JOIN pg_class part ON part.oid = inhrelid
    WHERE whole.relkind = 'p' AND whole.relnamespace = current_schema()::regnamespace
    GROUP BY whole.oid HAVING sum(greatest(part.reltuples, 0)) > greatest(whole.reltuples, 0) * 4 / 3`.execute(db)
  return rows.map(({ name }) => name)
}

async function analyze(db: Db, table: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`SET LOCAL statement_timeout = '10min'`.execute(tx)
    await sql`ANALYZE ${sql.table(table)}`.execute(tx)
  })
}
