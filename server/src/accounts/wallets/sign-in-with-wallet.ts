import type { Visit } from '@pennypost/contract/endpoint'
import type { RegistrationMode } from '@pennypost/contract/site-settings'
import { invalidProof } from '@pennypost/contract/wallet-logins'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { createAccount, findAccount } from '../account-store.ts'
import { admitNewAccount } from '../invitation-store.ts'
import { type Session, startSession } from '../session-store.ts'
import type { SessionTokens } from '../session-tokens.ts'
import { linkNewWallet, lockGuestOf, lockWallet, type WalletAddress } from './wallet-store.ts'

export interface WalletSignIn {
  readonly session: Session
  /** Whether this sign-in created the account. */
  readonly created: boolean
}

/**
 * Signs in to the account that the wallet is linked to, else to the account of a guest who paid with it, which has a
 * login then. An unknown wallet creates an account. For a suspended account the proof is refused as invalid.
 */
export async function signInWithWallet(
  tx: Tx,
  { kind, address }: WalletAddress,
  registration: RegistrationMode,
  visit: Visit,
  now: Date,
): Promise<WalletSignIn> {
  const wallet = await lockWallet(tx, { kind, address })
  const known = wallet ? await findAccount(tx, wallet.account_id) : await lockGuestOf(tx, { kind, address })
  if (known && known.suspended_at !== null) refuse(invalidProof)
  // Invitations are for people who sign up by email; they can link a wallet then.
  if (!known) await admitNewAccount(tx, registration, null, now)
  const accountId = known?.id ?? (await createAccount(tx, { isAnonymous: false, now }))!.id
  if (!wallet) await linkNewWallet(tx, { kind, address, account_id: accountId, linked_at: now })
  return { session: await startSession(tx, accountId, 'wallet', visit, now), created: !known }
}

export const walletSessionView = async (tokens: SessionTokens, { session, created }: WalletSignIn) => ({
  ...(await tokens.pair(session)),
  session: { user: { id: session.account_id }, created },
})
