import { type claimPurchase as declared, purchaseNotFound, purchaseState } from '@pennypost/contract/purchases'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findOwnOrder, purchaseView, viewContextOf } from './order-view.ts'

export const claimPurchase: Handler<typeof declared> = async (services, { caller, params }) => {
  const wanted = { id: params.purchaseId, payerId: caller.accountId, kind: 'purchase' } as const
  const order = (await findOwnOrder(services.pool, wanted)) ?? refuse(purchaseNotFound)
  // A buyer who paid USDC for a post they had already reads it by the earlier purchase.
  const grantedAt = order.granted_at ?? order.received_at
  if (!grantedAt) return refuse(purchaseState, {}, { detail: 'This purchase has not been paid in full yet.' })
  const purchase = purchaseView(order, viewContextOf(services))
  const { post_id, asset, network, amount_raw } = purchase
  const granted_at = grantedAt.toISOString()
  const receipt = { purchase_id: purchase.id, post_id, asset, network, amount_raw, granted_at }
  return { status: 200, body: { purchase, receipt, session: null } }
}
