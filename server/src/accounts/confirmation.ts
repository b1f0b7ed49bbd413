import { type Confirmation, confirmByEmail, noEmail } from '@pennypost/contract/confirmations'
import { type ConfirmedAction, invalidProof } from '@pennypost/contract/wallet-logins'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Account } from './account-store.ts'
import { accountCodeSubject, type CodeCheck, checkCode } from './email-codes.ts'
import type { AccountServices } from './services.ts'
import { readWalletProof } from './wallets/account-proof.ts'
import { lockWallet } from './wallets/wallet-store.ts'

/** A fresh proof that the owner of an account wants something. */
export interface OwnerConfirmation {
  /**
   * Uses the proof up, in the transaction that does what it confirms, under the account's lock. A wrong code is returned: the
   * caller must refuse after the commit, or its count would be rolled back.
   */
  spend(tx: Tx, account: Account): Promise<CodeCheck>
}

interface ConfirmationRequest {
  readonly accountId: string
  readonly purpose: ConfirmedAction
  readonly proof: Confirmation
  readonly ip: string
}

/**
 * Reads a confirmation. Undefined if it is a payment that has not arrived yet. An account with an email address confirms by
 * email only: a stolen session can link a wallet, but cannot read the owner's mail.
 */
export async function readConfirmation(
  services: AccountServices,
  { accountId, purpose, proof, ip }: ConfirmationRequest,
): Promise<OwnerConfirmation | undefined> {
  const { clock, secrets } = services
  if ('code' in proof) {
    return {
      spend: (tx, account) => {
        const email = account.email ?? refuse(noEmail)
        const subject = accountCodeSubject(accountId, email)
        return checkCode(tx, secrets, { purpose, subject, code: proof.code, email, ip, now: clock.now() })
      },
    }
  }
  const read = await readWalletProof(services, proof, { purpose, accountId })
  return (
    read && {
      async spend(tx, account) {
        if (account.email !== null) refuse(confirmByEmail)
        if ((await lockWallet(tx, read.wallet))?.account_id !== accountId) refuse(invalidProof)
        await read.spend(tx, clock.now())
        return { right: true }
      },
    }
  )
}
