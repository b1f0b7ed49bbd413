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
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findCheckoutPayment, lockCheckout, markClaimed } from './checkout-store.ts'
import { paidView } from './checkout-view.ts'

/** Moves a guest's purchase, once, to the account that presents the checkout's credential. */
export const claimCheckout: Handler<typeof declared> = async (services, { caller, params, body, origin }) => {
  const { db, secrets } = services
  if (checkoutSecret.readId(secrets, body.checkoutCredential) !== params.checkoutId) refuse(checkoutNotFound)
  if (caller.isAnonymous) refuse(guestCannotClaim)
  const { checkout, payment } = await db.transaction().execute(async (tx) => {
    const found = (await lockCheckout(tx, params.checkoutId)) ?? refuse(checkoutNotFound)
    const paid = await findCheckoutPayment(tx, found.id)
    if (paid?.state !== 'settled') return refuse(checkoutUnpaid)
    const owner = found.account_id ?? found.claimed_by
    if (owner !== null && owner !== caller.accountId) refuse(checkoutClaimed)
    if (owner === null) {
      // A guest who has a login by now keeps the purchase.
      const guest = (await findAccount(tx, paid.account_id!))!
      if (!guest.is_anonymous && guest.id !== caller.accountId) refuse(checkoutClaimed)
      await moveEntitlement(tx, found.post_id, { from: paid.account_id!, to: caller.accountId })
      await markClaimed(tx, found.id, caller.accountId)
    }
    return { checkout: found, payment: paid }
  })
  return { status: 200, body: { ...paidView(services, checkout, payment, origin), session: null } }
}
