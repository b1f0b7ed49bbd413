import { ServiceUnavailable } from '../platform/http/service-unavailable.ts'

/** The node could not be reached or did not reply in time. If `mayHaveHeard`, it may have carried out the request. */
export class NodeUnreachable extends Error {
  override name = 'NodeUnreachable'
  readonly mayHaveHeard: boolean
  /** The HTTP status, if there was a reply. */
  readonly status: number | undefined

  constructor(message: string, mayHaveHeard: boolean, status?: number) {
    super(message)
    this.mayHaveHeard = mayHaveHeard
    this.status = status
  }
}

/** The node's reply makes no sense: garbage, a block that was not requested, or invalid work. */
export class MalformedReply extends Error {
  override name = 'MalformedReply'
}

/** The node returned an error. The message is the node's own. */
export class NodeRefusal extends Error {
  override name = 'NodeRefusal'
}

/** The signer could not be reached, or signs nothing now. Whatever was asked for may be asked for again. */
export class SignerAway extends ServiceUnavailable {
  override name = 'SignerAway'
}

/** The signer is there, and has another `SIGNER_SECRET` than this process. */
export class SignerSecretRefused extends SignerAway {
  override name = 'SignerSecretRefused'
}

/** Whether the node, or the signer, is the cause. Then the same request may be tried again later, or with another node. */
export const isNodeError = (error: unknown): error is Error =>
  [NodeUnreachable, MalformedReply, NodeRefusal, SignerAway].some((kind) => error instanceof kind)
