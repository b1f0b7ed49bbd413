import type { Visit } from '@pennypost/contract/endpoint'
import { findAccount } from '../../accounts/account-store.ts'
import { findUnusedSession, startSession } from '../../accounts/session-store.ts'
import type { OrderRow } from '../../payments/orders/order-store.ts'
import type { AccessServices } from '../services.ts'

type Parts = Pick<AccessServices, 'db' | 'clock' | 'tokens'>
type BoughtOrder = Pick<OrderRow, 'is_guest' | 'payer_id' | 'claimed_by'>

/** A client that waits for its payment may poll every second while it also reads the event stream. */
const sameSessionMs = 60_000

/**
 * A session of the anonymous account that a guest bought with. Null once the account has a login, or the
 * purchase was moved: the credential of one purchase never opens more than that purchase.
 * @param isNew otherwise a session that began within the last minute is returned again, until it is refreshed.
 */
export async function guestSession(
  { db, clock, tokens }: Parts,
  { is_guest, payer_id, claimed_by }: BoughtOrder,
  isNew: boolean,
  visit: Visit,
) {
  if (!is_guest || payer_id === null || claimed_by !== null) return null
  const account = await findAccount(db, payer_id)
  if (!account?.is_anonymous) return null
  const now = clock.now()
  const since = new Date(now.getTime() - sameSessionMs)
  const session =
    (isNew ? undefined : await findUnusedSession(db, account.id, since, now)) ??
    (await db.transaction().execute((tx) => startSession(tx, account.id, 'wallet', visit, now)))
  return { ...(await tokens.pair(session)), user: { id: account.id } }
}
