import { checkoutNotFound } from '@pennypost/contract/checkout'
import type { Callers } from '@pennypost/contract/credential'
import type { Db } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { type CheckoutRow, findCheckout } from './checkout-store.ts'

/** The checkout, if the caller's account began it or the caller holds its credential. */
export async function ownCheckout(
  db: Db,
  id: string,
  caller: Callers['owner-session'] | Callers['checkout-credential'],
): Promise<CheckoutRow> {
  const checkout = (await findCheckout(db, id)) ?? refuse(checkoutNotFound)
  const isOwn =
    caller.kind === 'checkout-credential' ? caller.checkoutId === id : caller.accountId === checkout.account_id
  return isOwn ? checkout : refuse(checkoutNotFound)
}
