import { SignerAway } from '../node-errors.ts'

/**
 * Signs Nano blocks: in this process, or in the one with `ROLE=signer`. A caller only says for which of our addresses. What
 * the block contains is read from the database and checked by the process that has the key.
 */
export interface BlockSigner {
  /**
   * Signs the next block of an address and stores it, in one transaction. Without enough work it says for what work is
   * needed; call it again with that.
   */
  signNextBlock(addressId: string, work: string | undefined): Promise<NextBlock>
}

export type NextBlock =
  | { readonly kind: 'signed'; readonly hash: string }
  /** There is nothing to sign. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'lacks-work'; readonly root: string; readonly step: 'send' | 'receive' }
  /** A limit is reached. It is signed later, when the limit allows it. */
  | { readonly kind: 'waits'; readonly reason: string }
  /** It will not be signed: what the database says about this send contradicts itself, or the chain. */
  | { readonly kind: 'refused'; readonly sendId: string; readonly reason: string }

/** A signature has to wait, for a limit or another cause that passes. Nothing was signed. */
export class SignatureWaits extends SignerAway {
  override name = 'SignatureWaits'
}

/** The signer does not sign this send. */
export class SendRefused extends Error {
  override name = 'SendRefused'
  readonly sendId: string
  constructor(sendId: string, reason: string) {
    super(reason)
    this.sendId = sendId
  }
}
