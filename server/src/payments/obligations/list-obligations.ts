import type { listObligations as declared } from '@pennypost/contract/obligations'
import { requireAdmin } from '../../accounts/require-admin.ts'
import { pageOf, readCursor, TimePosition } from '../../platform/cursor.ts'
import type { Handler } from '../services.ts'
import { listObligationRows, obligationView } from './obligation-store.ts'

export const listObligations: Handler<typeof declared> = async ({ db }, { caller, query }) => {
  requireAdmin(caller)
  const after = query.cursor === undefined ? undefined : readCursor(TimePosition, query.cursor)
  const found = await listObligationRows(db, query.status, after, query.limit + 1)
  const { rows, pagination } = pageOf(found, query.limit, (last) => [last.created_at, last.id])
  return { status: 200, body: { obligations: rows.map(obligationView), pagination } }
}
