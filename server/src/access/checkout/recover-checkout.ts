import { type recoverCheckout as declared, usdcSettlementPending } from '@pennypost/contract/checkout'
import { settle } from '../../payments/x402/settle-payment.job.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { retryAfterSeconds } from '../x402/x402-replies.ts'
import { findCheckoutPayment } from './checkout-store.ts'
import { paidView } from './checkout-view.ts'
import { ownCheckout } from './own-checkout.ts'

/** For a client that lost the reply: the receipt again, and a session for a guest. An uncertain payment is checked again. */
export const recoverCheckout: Handler<typeof declared> = async (services, { caller, params, origin, visit }) => {
  const own = await ownCheckout(services, params.checkoutId, caller)
  if (own.asset === 'XNO') return { status: 200, body: await paidView(services, own, { origin, visit }, 'new') }
  const known = await findCheckoutPayment(services.db, own.checkout.id)
  const payment = known?.state === 'settling' ? await settle(services, known) : known
  if (payment?.state === 'settling') return refuse(usdcSettlementPending, {}, { retryAfterSeconds })
  return { status: 200, body: await paidView(services, own, { origin, visit }, 'new', payment) }
}
