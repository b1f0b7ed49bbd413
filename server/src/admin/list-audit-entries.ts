import type { listAuditEntries as declared } from '@pennypost/contract/audit-log'
import { z } from 'zod'
import { listAuditRows } from '../accounts/audit-log-store.ts'
import { requireAdmin } from '../accounts/require-admin.ts'
import { pageOf, readCursor } from '../platform/cursor.ts'
import type { Handler } from './services.ts'

const EntryId = z.string().regex(/^[0-9]{1,18}$/)

export const listAuditEntries: Handler<typeof declared> = async ({ db }, { caller, query }) => {
  requireAdmin(caller)
  const before = query.cursor === undefined ? undefined : readCursor(EntryId, query.cursor)
  const found = await listAuditRows(db, before, query.limit + 1)
  const { rows, pagination } = pageOf(found, query.limit, (last) => last.id)
  const entries = rows.map((row) => ({
    id: row.id,
    at: row.at.toISOString(),
    actor: row.actor_id !== null && row.actor_handle !== null ? { id: row.actor_id, handle: row.actor_handle } : null,
    act: row.act,
    targetKind: row.target_kind,
    targetId: row.target_id,
    details: row.details,
  }))
  return { status: 200, body: { entries, pagination } }
}
