import type { listReports as declared } from '@pennypost/contract/reports'
import { requireAdmin } from '../accounts/require-admin.ts'
import { pageOf, readCursor, TimePosition } from '../platform/cursor.ts'
import { listReportRows } from './report-store.ts'
import { reportView } from './report-view.ts'
import type { Handler } from './services.ts'

export const listReports: Handler<typeof declared> = async ({ db }, { caller, query }) => {
  requireAdmin(caller)
  const { status, limit, cursor } = query
  const after = cursor === undefined ? undefined : readCursor(TimePosition, cursor)
  const found = await listReportRows(db, status, after, limit + 1)
  const { rows, pagination } = pageOf(found, limit, (last) => [last.created_at, last.id])
  return { status: 200, body: { reports: rows.map(reportView), pagination } }
}
