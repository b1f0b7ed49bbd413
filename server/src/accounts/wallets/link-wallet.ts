import { invalidProof } from '@pennypost/contract/wallet-logins'
import { type linkWallet as declared, walletInUse, walletLimit } from '@pennypost/contract/wallets'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler, Services } from '../../services.ts'
import { lockAccount } from '../account-store.ts'
import { pollSecret } from './bound-secret.ts'
import { type Challenge, findChallenge, moveChallenge } from './challenge-store.ts'
import { findProvedChallenge } from './nano-proof.ts'
import { addWallet, countWallets, listWalletsOf, lockWallet, type WalletAddress } from './wallet-store.ts'
import { walletViews } from './wallet-view.ts'

const mostWallets = 20

export const linkWallet: Handler<typeof declared> = async (services, { caller: { accountId }, body }) => {
  const challenge =
    'signature' in body
      ? await findProvedChallenge(services, body, accountId)
      : await findAnsweredChallenge(services, body, accountId)
  const { id, kind, address, state } = challenge ?? refuse(invalidProof)
  const { db, clock } = services
  const wallets = await db.transaction().execute(async (tx) => {
    await lockAccount(tx, accountId)
    const move = state === 'open' ? 'spend' : 'claim'
    if (!(await moveChallenge(tx, id, move, clock.now()))) refuse(invalidProof)
    await addWalletTo(tx, accountId, { kind, address }, clock.now())
    return listWalletsOf(tx, accountId)
  })
  return { status: 200, body: { wallets: walletViews(wallets) } }
}

/** The challenge that a wallet answered, if this account asked for it and who says so holds its secret. */
async function findAnsweredChallenge(
  { db, secrets }: Services,
  given: { challengeId: string; pollSecret: string },
  accountId: string,
): Promise<Challenge | undefined> {
  if (pollSecret.idIn(secrets, given.pollSecret) !== given.challengeId) return undefined
  const challenge = await findChallenge(db, given.challengeId)
  return challenge?.state === 'signed' && challenge.account_id === accountId ? challenge : undefined
}

/** Under the account's lock. A wallet makes a guest somebody who can come back. */
async function addWalletTo(tx: Tx, accountId: string, wallet: WalletAddress, now: Date): Promise<void> {
  const known = await lockWallet(tx, wallet)
  if (known?.account_id === accountId) return
  if (known) refuse(walletInUse)
  if ((await countWallets(tx, accountId)) >= mostWallets) refuse(walletLimit)
  await addWallet(tx, { ...wallet, account_id: accountId, linked_at: now })
  await tx.updateTable('accounts').set({ is_anonymous: false }).where('id', '=', accountId).execute()
}
