import { lastLogin } from '@pennypost/contract/account-email'
import { type unlinkWallet as declared, walletNotFound } from '@pennypost/contract/wallets'
import { refuse } from '../../platform/http/refuse.ts'
import { parseBaseAddress } from '../../rails/base/parse-base-address.ts'
import { lockOwnAccount } from '../account-store.ts'
import type { Handler } from '../services.ts'
import { normalizeNanoAddress } from './normalize-nano-address.ts'
import { countWallets, listWalletsOf, removeWallet } from './wallet-store.ts'
import { walletViews } from './wallet-view.ts'

export const unlinkWallet: Handler<typeof declared> = async (
  { db },
  { caller: { accountId }, body: { kind, address } },
) => {
  const stored = (kind === 'nano' ? normalizeNanoAddress(address) : parseBaseAddress(address)) ?? refuse(walletNotFound)
  const wallets = await db.transaction().execute(async (tx) => {
    const account = await lockOwnAccount(tx, accountId)
    if (!(await removeWallet(tx, accountId, { kind, address: stored }))) refuse(walletNotFound)
    if (account.email === null && (await countWallets(tx, accountId)) === 0) refuse(lastLogin)
    return listWalletsOf(tx, accountId)
  })
  return { status: 200, body: { wallets: walletViews(wallets) } }
}
