import type { claimNanoTransfer as declared } from '@pennypost/contract/transfer-logins'
import type { Handler } from '../services.ts'
import { toSignIn } from './challenge-store.ts'
import { signInWithWallet, walletSessionView } from './sign-in-with-wallet.ts'
import { readTransferProof, spendTransfer } from './transfer-proof.ts'

export const claimNanoTransfer: Handler<typeof declared> = async (
  services,
  { params: { transferId }, body, visit },
) => {
  const { db, clock, tokens, site } = services
  const wallet = await readTransferProof(services, { transferId, ...body }, toSignIn)
  if (!wallet) return { status: 202, body: { status: 'pending' } }
  const now = clock.now()
  const signIn = await db.transaction().execute(async (tx) => {
    await spendTransfer(tx, transferId, now)
    return signInWithWallet(tx, wallet, site.settings().registration, visit, now)
  })
  return { status: 200, body: await walletSessionView(tokens, signIn) }
}
