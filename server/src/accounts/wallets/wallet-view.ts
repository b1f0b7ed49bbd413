import type { Wallet as WalletView } from '@pennypost/contract/wallets'
import type { WalletRow } from '../caller-account.ts'
import type { Wallet } from './wallet-store.ts'

export const walletViews = (rows: readonly (Wallet | WalletRow)[] | null): WalletView[] =>
  (rows ?? []).map(({ kind, address, linked_at }) => ({
    kind,
    address,
    linkedAt: new Date(linked_at).toISOString(),
  }))
