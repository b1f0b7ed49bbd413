import { type recoverCheckout as declared, usdcSettlementPending } from '@pennypost/contract/checkout'
import { settle } from '../../payments/x402/settle-payment.job.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { retryAfterSeconds } from '../x402/x402-replies.ts'
import { findCheckoutPayment } from './checkout-store.ts'
import { paidView } from './checkout-view.ts'
import { guestSession } from './guest-session.ts'
import { ownCheckout } from './own-checkout.ts'

/** For a client that lost the reply: the receipt again, and a session for a guest. An uncertain payment is checked again. */
export const recoverCheckout: Handler<typeof declared> = async (services, { caller, params, origin }) => {
  const checkout = await ownCheckout(services.db, params.checkoutId, caller)
  const known = await findCheckoutPayment(services.db, checkout.id)
  const payment = known?.state === 'settling' ? await settle(services, known) : known
  if (payment?.state === 'settling') return refuse(usdcSettlementPending, {}, { retryAfterSeconds })
  const session = payment?.state === 'settled' ? await guestSession(services, checkout, payment) : null
  return { status: 200, body: { ...paidView(services, checkout, payment, origin), session } }
}
