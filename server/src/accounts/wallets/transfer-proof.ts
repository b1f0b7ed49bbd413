import {
  sharedWallet,
  type TransferProof,
  transferClaimed,
  transferExpired,
  transferNotFound,
} from '@pennypost/contract/transfer-logins'
import { invalidProof } from '@pennypost/contract/wallet-logins'
import type { z } from 'zod'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { AccountServices } from '../services.ts'
import { isFor, type ProofUse } from './challenge-store.ts'
import { findTransfer, moveTransfer } from './transfer-store.ts'
import { loginSecret } from './wallet-login-secrets.ts'
import type { WalletAddress } from './wallet-store.ts'

/** Returns the wallet that paid, or undefined if no payment has arrived yet. Refuses an invalid proof. */
export async function readTransferProof(
  { db, clock, secrets, config }: AccountServices,
  { transferId, loginSecret: given }: z.output<typeof TransferProof>,
  use: ProofUse,
): Promise<WalletAddress | undefined> {
  const transfer = (await findTransfer(db, transferId)) ?? refuse(transferNotFound)
  if (loginSecret.readId(secrets, given) !== transfer.id || !isFor(transfer, use)) refuse(invalidProof)
  if (transfer.state === 'claimed') refuse(transferClaimed)
  if (transfer.expires_at <= clock.now()) refuse(transferExpired)
  if (transfer.sender === null) return undefined
  // Customers of one exchange share its wallet: two strangers who withdraw from it would share one account here.
  if (config.nano.sharedWallets.includes(transfer.sender)) refuse(sharedWallet)
  return { kind: 'nano', address: transfer.sender }
}

/** Uses the transfer up. Must run in the transaction that signs in or links the wallet. */
export async function spendTransfer(tx: Tx, transferId: string, now: Date): Promise<void> {
  if (!(await moveTransfer(tx, transferId, 'claim', { now }))) refuse(transferClaimed)
}
