import { WalletError } from './browser-wallet.ts'

/** Whether there is nothing more to wait for; what ran out is said. */
export function isClaimed(status: string): boolean {
  if (status === 'expired') throw new WalletError('The time for this is over. Start again.')
  return status === 'claimed'
}
