import type { getCheckout as declared } from '@pennypost/contract/checkout'
import type { Handler } from '../services.ts'
import { findCheckoutPayment } from './checkout-store.ts'
import { paidView } from './checkout-view.ts'
import { ownCheckout } from './own-checkout.ts'

export const getCheckout: Handler<typeof declared> = async (services, { caller, params, origin }) => {
  const checkout = await ownCheckout(services.db, params.checkoutId, caller)
  return {
    status: 200,
    body: paidView(services, checkout, await findCheckoutPayment(services.db, checkout.id), origin),
  }
}
