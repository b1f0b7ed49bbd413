import type { Callers, Credential } from '@pennypost/contract/credential'
import { validation } from '@pennypost/contract/errors'
import type { ConfirmedAction } from '@pennypost/contract/wallet-logins'
import { refuse } from '../../platform/http/refuse.ts'
import { type ProofUse, toSignIn } from './challenge-store.ts'

/** What a proof that this caller starts is for: a sign-in or, with an owner session, a link or a confirmation. */
export function proofUseOf(caller: Callers[Credential], confirms: ConfirmedAction | undefined): ProofUse {
  if (caller.kind === 'owner-session') return { purpose: confirms ?? 'link', accountId: caller.accountId }
  if (confirms === undefined) return toSignIn
  const message = 'needs an owner session'
  return refuse(validation, { errors: [{ field: 'confirms', code: 'not_allowed', message }] })
}
