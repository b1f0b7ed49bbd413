import type { listPurchases as declared } from '@pennypost/contract/purchases'
import type { Handler } from '../services.ts'
import { listOwnOrders, purchaseView } from './order-view.ts'

export const listPurchases: Handler<typeof declared> = async ({ pool, clock }, { caller, query }) => {
  const { page, per_page: perPage } = query
  const { orders, total } = await listOwnOrders(pool, caller.accountId, 'purchase', { page, perPage })
  const now = clock.now()
  return { status: 200, body: { data: orders.map((order) => purchaseView(order, now)), total, page, perPage } }
}
