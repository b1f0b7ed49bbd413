import { checkoutNotFound } from '@pennypost/contract/checkout'
import type { Callers } from '@pennypost/contract/credential'
import { type DetailedOrder, findNanoOrder } from '../../payments/orders/order-view.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { AccessServices } from '../services.ts'
import { type CheckoutRow, findCheckout } from './checkout-store.ts'

/** A checkout in USDC has a row, and gets an order when it is paid. One in Nano is an order from the start. */
export type OwnCheckout =
  | { readonly asset: 'USDC'; readonly checkout: CheckoutRow }
  | { readonly asset: 'XNO'; readonly order: DetailedOrder }

type Buyer = Callers['owner-session'] | Callers['checkout-credential']

/** The checkout, if the caller's account began it or the caller holds its credential. */
export async function ownCheckout(
  { db, pool }: Pick<AccessServices, 'db' | 'pool'>,
  id: string,
  caller: Buyer,
): Promise<OwnCheckout> {
  const isOf = (accountId: string | null): boolean =>
    caller.kind === 'checkout-credential' ? caller.checkoutId === id : caller.accountId === accountId
  const checkout = await findCheckout(db, id)
  if (checkout) return isOf(checkout.account_id) ? { asset: 'USDC', checkout } : refuse(checkoutNotFound)
  const order = (await findNanoOrder(pool, id)) ?? refuse(checkoutNotFound)
  return isOf(order.claimed_by ?? order.payer_id) ? { asset: 'XNO', order } : refuse(checkoutNotFound)
}
