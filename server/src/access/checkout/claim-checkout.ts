import {
  checkoutClaimed,
  checkoutNotFound,
  checkoutUnpaid,
  type claimCheckout as declared,
  guestCannotClaim,
} from '@pennypost/contract/checkout'
import { findAccount } from '../../accounts/account-store.ts'
import { checkoutSecret } from '../../accounts/checkout-secret.ts'
import { moveEntitlement } from '../../payments/entitlements/entitlement-store.ts'
import { isSold, lockOrder, markClaimed } from '../../payments/orders/order-store.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findCheckoutPayment } from './checkout-store.ts'
import { paidView } from './checkout-view.ts'
import { ownCheckout } from './own-checkout.ts'

/** Moves a guest's purchase, once, to the account that presents the checkout's credential. */
export const claimCheckout: Handler<typeof declared> = async (services, { caller, params, body, origin, visit }) => {
  const { db, secrets } = services
  const { checkoutId } = params
  if (checkoutSecret.readId(secrets, body.checkoutCredential) !== checkoutId) refuse(checkoutNotFound)
  if (caller.isAnonymous) refuse(guestCannotClaim)
  const own = await ownCheckout(services, checkoutId, { kind: 'checkout-credential', checkoutId })
  // A tip buys nothing that could be moved.
  if (own.asset === 'XNO' && own.order.kind === 'tip') refuse(checkoutNotFound)
  const payment = own.asset === 'USDC' ? await findCheckoutPayment(db, checkoutId) : undefined
  const orderId = own.asset === 'XNO' ? own.order.id : (payment?.order_id ?? refuse(checkoutUnpaid))
  await db.transaction().execute(async (tx) => {
    const order = (await lockOrder(tx, orderId))!
    if (!isSold(order)) refuse(checkoutUnpaid)
    const owner = order.claimed_by ?? (order.is_guest ? null : order.payer_id)
    if (owner !== null && owner !== caller.accountId) refuse(checkoutClaimed)
    if (owner !== null) return
    // A guest account that has a login by now keeps the purchase.
    const guest = (await findAccount(tx, order.payer_id!))!
    if (!guest.is_anonymous && guest.id !== caller.accountId) refuse(checkoutClaimed)
    await moveEntitlement(tx, order.post_id, { from: guest.id, to: caller.accountId })
    await markClaimed(tx, order.id, caller.accountId)
  })
  return { status: 200, body: await paidView(services, own, { origin, visit }, 'none', payment) }
}
