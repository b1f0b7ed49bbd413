import type { listPurchases as declared } from '@pennypost/contract/purchases'
import type { Handler } from '../services.ts'
import { listOwnOrders, purchaseView, viewContextOf } from './order-view.ts'

export const listPurchases: Handler<typeof declared> = async (services, { caller, query }) => {
  const { page, per_page: perPage } = query
  const { orders, total } = await listOwnOrders(services.pool, caller.accountId, 'purchase', { page, perPage })
  const shown = viewContextOf(services)
  return { status: 200, body: { data: orders.map((order) => purchaseView(order, shown)), total, page, perPage } }
}
