import type { listPurchases as declared } from '@pennypost/contract/purchases'
import type { Handler } from '../../services.ts'
import { listOwnSessions, purchaseView } from './session-view.ts'

export const listPurchases: Handler<typeof declared> = async ({ pool, clock }, { caller, query }) => {
  const { page, per_page: perPage } = query
  const { sessions, total } = await listOwnSessions(pool, caller.accountId, 'purchase', { page, perPage })
  const now = clock.now()
  return { status: 200, body: { data: sessions.map((session) => purchaseView(session, now)), total, page, perPage } }
}
