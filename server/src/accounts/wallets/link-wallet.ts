import type { Call } from '@pennypost/contract/endpoint'
import { invalidProof } from '@pennypost/contract/wallet-logins'
import { type linkWallet as declared, walletInUse, walletLimit } from '@pennypost/contract/wallets'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { lockAccount } from '../account-store.ts'
import type { AccountServices, Handler } from '../services.ts'
import { type Challenge, findChallenge, moveChallenge } from './challenge-store.ts'
import { findProvedChallenge } from './nano-proof.ts'
import { findProvedSiwxChallenge } from './siwx-proof.ts'
import { readTransferProof, spendTransfer } from './transfer-proof.ts'
import { pollSecret } from './wallet-login-secrets.ts'
import { countWallets, linkNewWallet, listWalletsOf, lockWallet, type WalletAddress } from './wallet-store.ts'
import { walletViews } from './wallet-view.ts'

const maxWallets = 20

type Body = Call<typeof declared>['body']

export const linkWallet: Handler<typeof declared> = async (services, { caller: { accountId }, body }) => {
  const { db, clock } = services
  const proof =
    'transferId' in body
      ? await paymentProof(services, body, accountId)
      : challengeProof(await challengeIn(services, body, accountId))
  if (!proof) return { status: 202, body: { status: 'pending' } }
  const wallets = await db.transaction().execute(async (tx) => {
    await lockAccount(tx, accountId)
    await proof.spend(tx, clock.now())
    await addWalletTo(tx, accountId, proof.wallet, clock.now())
    return listWalletsOf(tx, accountId)
  })
  return { status: 200, body: { wallets: walletViews(wallets) } }
}

function challengeIn(
  services: AccountServices,
  body: Exclude<Body, { transferId: string }>,
  accountId: string,
): Promise<Challenge | undefined> {
  if ('account' in body) return findProvedChallenge(services, body, accountId)
  if ('signature' in body) return findProvedSiwxChallenge(services, body, accountId)
  return findAnsweredChallenge(services, body, accountId)
}

/** A proven wallet. `spend` uses the proof up, and refuses if another request has already done so. */
interface Proof {
  readonly wallet: WalletAddress
  spend(tx: Tx, now: Date): Promise<void>
}

function challengeProof(challenge: Challenge | undefined): Proof {
  const { id, kind, address, state } = challenge ?? refuse(invalidProof)
  return {
    wallet: { kind, address },
    async spend(tx, now) {
      if (!(await moveChallenge(tx, id, state === 'open' ? 'spend' : 'claim', now))) refuse(invalidProof)
    },
  }
}

async function paymentProof(
  services: AccountServices,
  given: Parameters<typeof readTransferProof>[1],
  accountId: string,
): Promise<Proof | undefined> {
  const wallet = await readTransferProof(services, given, accountId)
  return wallet && { wallet, spend: (tx, now) => spendTransfer(tx, given.transferId, now) }
}

/** Finds a challenge that a wallet has signed, if this account started it and the caller has its poll secret. */
async function findAnsweredChallenge(
  { db, secrets }: AccountServices,
  given: { challengeId: string; pollSecret: string },
  accountId: string,
): Promise<Challenge | undefined> {
  if (pollSecret.readId(secrets, given.pollSecret) !== given.challengeId) return undefined
  const challenge = await findChallenge(db, given.challengeId)
  return challenge?.state === 'signed' && challenge.account_id === accountId ? challenge : undefined
}

/** Links the wallet. The caller holds the account lock. */
async function addWalletTo(tx: Tx, accountId: string, wallet: WalletAddress, now: Date): Promise<void> {
  const known = await lockWallet(tx, wallet)
  if (known?.account_id === accountId) return
  if (known) refuse(walletInUse)
  if ((await countWallets(tx, accountId)) >= maxWallets) refuse(walletLimit)
  await linkNewWallet(tx, { ...wallet, account_id: accountId, linked_at: now })
}
