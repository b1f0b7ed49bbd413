import { WalletError } from './browser-wallet.ts'

/** Whether a proof has been claimed, so that polling can stop. Throws if it has expired. */
export function isClaimed(status: string): boolean {
  if (status === 'expired') throw new WalletError('This has expired. Start again.')
  return status === 'claimed'
}
