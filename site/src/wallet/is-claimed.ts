import { WalletError } from './browser-wallet.ts'

/** Whether a proof has been claimed, so that polling can stop. Throws if it has expired. */
export function isClaimed(status: string): boolean {
  if (status === 'expired') throw new WalletError('The time for this is over. Start again.')
  return status === 'claimed'
}
