import type { listHolds as declared } from '@pennypost/contract/holds'
import { requireAdmin } from '../accounts/require-admin.ts'
import { listHoldPage } from '../uploads/hold-store.ts'
import { holdView } from './hold-view.ts'
import type { Handler } from './services.ts'

export const listHolds: Handler<typeof declared> = async ({ db }, { caller, query }) => {
  requireAdmin(caller)
  const { page, per_page: perPage } = query
  const isOpen = query.open === undefined ? undefined : query.open === 'true'
  const { holds, total } = await listHoldPage(db, isOpen, perPage, (page - 1) * perPage)
  return { status: 200, body: { data: holds.map(holdView), total, page, perPage } }
}
