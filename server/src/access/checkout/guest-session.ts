import { findAccount } from '../../accounts/account-store.ts'
import { startSession } from '../../accounts/session-store.ts'
import type { PaymentRow } from '../../payments/x402/payment-store.ts'
import type { AccessServices } from '../services.ts'
import type { CheckoutRow } from './checkout-store.ts'

/**
 * A session of the anonymous account that a guest bought with. Null once the account has a login, or the
 * purchase was moved: the credential of one purchase never opens more than that purchase.
 */
export async function guestSession(
  { db, clock, tokens }: Pick<AccessServices, 'db' | 'clock' | 'tokens'>,
  checkout: CheckoutRow,
  payment: PaymentRow,
) {
  if (checkout.account_id !== null || checkout.claimed_by !== null) return null
  const account = await findAccount(db, payment.account_id!)
  if (!account?.is_anonymous) return null
  const session = await db.transaction().execute((tx) => startSession(tx, account.id, 'wallet', clock.now()))
  return { ...(await tokens.pair(session)), user: { id: account.id } }
}
