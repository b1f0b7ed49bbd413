import { claimCheckout } from '@pennypost/contract/checkout'
import type { TokenPair } from '@pennypost/contract/sessions'
import { callApi } from '../call-api.ts'
import { fetchSession, startSession } from '../session.ts'
import { type GuestPurchase, removeGuestPurchase, saveGuestPurchase } from './purchase-storage.ts'

/**
 * Keeps what a guest bought. The guest gets an account without a login: the session opens it now, the stored credential
 * later. If the reader has signed in since, the purchase moves into their account.
 */
export async function keepGuestPurchase(purchase: GuestPurchase, session: TokenPair | null): Promise<void> {
  saveGuestPurchase(purchase)
  const { account } = await fetchSession()
  const { checkoutId, credential } = purchase
  if (account && !account.isGuest) {
    await callApi(claimCheckout, { params: { checkoutId }, body: { checkoutCredential: credential } })
    removeGuestPurchase(checkoutId)
  } else if (session) await startSession(session)
}
