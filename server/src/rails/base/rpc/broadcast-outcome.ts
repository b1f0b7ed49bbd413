/**
 * What became of a signed transaction that was sent to a node.
 * - `accepted`: a node has it, or had it already.
 * - `nonce-used`: the account has another transaction in its place, or this one is mined already. Ask for its receipt.
 * - `refused`: this node does not accept it now, for the given reason: no money for gas, or too low a fee.
 * - `uncertain`: nobody knows. The same bytes may be sent again at any time.
 */
export type BroadcastOutcome =
  | { readonly kind: 'accepted' | 'nonce-used' }
  | { readonly kind: 'refused' | 'uncertain'; readonly cause: string }

/** Error messages differ between kinds of nodes. An unknown one leaves the outcome open. */
export function refusedBroadcast(message: string): BroadcastOutcome {
  if (/already known|already imported|known transaction|alreadyknown/i.test(message)) return { kind: 'accepted' }
  if (/nonce too low|nonce.*already|replacement transaction underpriced|underpriced.*replace/i.test(message)) {
    return { kind: 'nonce-used' }
  }
  if (/insufficient funds|underpriced|less than block base fee|intrinsic gas|gas limit|fee cap/i.test(message)) {
    return { kind: 'refused', cause: message }
  }
  return { kind: 'uncertain', cause: message }
}
