import { type cancelPurchase as declared, purchaseNotFound, purchaseState } from '@pennypost/contract/purchases'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { lockOrder, moveOrder, stateAt } from './order-store.ts'
import { findOwnOrder, purchaseView, viewContextOf } from './order-view.ts'

export const cancelPurchase: Handler<typeof declared> = async (services, { caller, params }) => {
  const { db, pool, clock } = services
  const wanted = { id: params.purchaseId, payerId: caller.accountId, kind: 'purchase' } as const
  if (!(await findOwnOrder(pool, wanted))) refuse(purchaseNotFound)
  await db.transaction().execute(async (tx) => {
    const now = clock.now()
    const state = stateAt((await lockOrder(tx, wanted.id))!, now)
    if (state === 'cancelled') return
    if (state !== 'pending')
      refuse(purchaseState, {}, { detail: `The status of this purchase is ${state}, so it cannot be cancelled.` })
    await moveOrder(tx, wanted.id, 'cancel', now)
  })
  return { status: 200, body: purchaseView((await findOwnOrder(pool, wanted))!, viewContextOf(services)) }
}
