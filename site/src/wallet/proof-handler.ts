import type { ConfirmedAction } from '@pennypost/contract/wallet-logins'

interface Signed {
  readonly challengeId: string
  readonly signature: string
}

/** The handler of a wallet's proof. `answered` and `paid` are polled until they return true. */
export interface ProofHandler {
  /** A signature by a wallet on Base. */
  signed(proof: Signed): Promise<unknown>
  /** A signature by a Nano account. */
  signedNano(proof: Signed & { readonly account: string }): Promise<unknown>
  /** A challenge that another device may have signed through its `nanoauth:` link. */
  answered(challenge: { readonly challengeId: string; readonly pollSecret: string }): Promise<boolean>
  /** A payment that may have arrived from the wallet. */
  paid(transfer: { readonly transferId: string; readonly loginSecret: string }): Promise<boolean>
}

export interface ProofProps {
  readonly handler: ProofHandler
  /** What the wallet confirms, for an account that is signed in. Without it, it signs in or is linked. */
  readonly confirms?: ConfirmedAction | undefined
}
