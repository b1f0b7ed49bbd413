import type { listDeadJobs as declared } from '@pennypost/contract/dead-jobs'
import { DateTime } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { requireAdmin } from '../accounts/require-admin.ts'
import { pageOf, readCursor } from '../platform/cursor.ts'
import { listDeadJobRows } from '../platform/jobs/dead-job-store.ts'
import type { Handler } from './services.ts'

const Position = z
  .tuple([DateTime, z.string().regex(/^[0-9]{1,18}$/)])
  .transform(([at, id]) => ({ at: new Date(at), id }))

export const listDeadJobs: Handler<typeof declared> = async ({ db }, { caller, query }) => {
  requireAdmin(caller)
  const after = query.cursor === undefined ? undefined : readCursor(Position, query.cursor)
  const found = await listDeadJobRows(db, after, query.limit + 1)
  const { rows, pagination } = pageOf(found, query.limit, (last) => [last.dead_at, last.id])
  const jobs = rows.map(({ id, name, payload, attempts, last_error, dead_at }) => ({
    id,
    name,
    payload,
    attempts,
    lastError: last_error,
    deadAt: dead_at.toISOString(),
  }))
  return { status: 200, body: { jobs, pagination } }
}
