import { type linkWallet as declared, walletInUse, walletLimit } from '@pennypost/contract/wallets'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { lockOwnAccount } from '../account-store.ts'
import type { Handler } from '../services.ts'
import { readWalletProof } from './account-proof.ts'
import { countWallets, linkNewWallet, listWalletsOf, lockWallet, type WalletAddress } from './wallet-store.ts'
import { walletViews } from './wallet-view.ts'

const maxWallets = 20

export const linkWallet: Handler<typeof declared> = async (services, { caller: { accountId }, body }) => {
  const { db, clock } = services
  const proof = await readWalletProof(services, body, { purpose: 'link', accountId })
  if (!proof) return { status: 202, body: { status: 'pending' } }
  const wallets = await db.transaction().execute(async (tx) => {
    await lockOwnAccount(tx, accountId)
    await proof.spend(tx, clock.now())
    await addWalletTo(tx, accountId, proof.wallet, clock.now())
    return listWalletsOf(tx, accountId)
  })
  return { status: 200, body: { wallets: walletViews(wallets) } }
}

/** Links the wallet. The caller holds the account lock. */
async function addWalletTo(tx: Tx, accountId: string, wallet: WalletAddress, now: Date): Promise<void> {
  const known = await lockWallet(tx, wallet)
  if (known?.account_id === accountId) return
  if (known) refuse(walletInUse)
  if ((await countWallets(tx, accountId)) >= maxWallets) refuse(walletLimit)
  await linkNewWallet(tx, { ...wallet, account_id: accountId, linked_at: now })
}
