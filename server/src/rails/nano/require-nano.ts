import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { refuse } from '../../platform/http/refuse.ts'
import type { NanoRail } from './nano.ts'

/**
 * Refuses for now while Nano cannot be taken: the nodes are on another network, or the signer is unavailable and no
 * prefetched address is left. Both are temporary, so this does not say that the service does not take Nano.
 */
export function requireNano({ nano }: { readonly nano: Pick<NanoRail, 'isOn'> }, detail = nanoAway): void {
  if (!nano.isOn()) refuseNano(detail)
}

export const refuseNano = (detail = nanoAway): never =>
  refuse(temporarilyUnavailable, {}, { detail, retryAfterSeconds: 15 })

const nanoAway = 'Payments in Nano are not possible at the moment. Send the same request again later.'
