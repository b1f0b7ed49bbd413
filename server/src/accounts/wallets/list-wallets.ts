import type { listWallets as declared } from '@pennypost/contract/wallets'
import type { Handler } from '../services.ts'
import { walletViews } from './wallet-view.ts'

export const listWallets: Handler<typeof declared> = async (_services, { caller }) => ({
  status: 200,
  body: { wallets: walletViews(caller.account.wallets) },
})
