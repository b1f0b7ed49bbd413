/**
 * The outcome of a signed transaction that was sent to a node.
 * - `accepted`: a node has it, or had it already.
 * - `nonce-used`: the account used the nonce for another transaction, or this one is already mined. Read its receipt.
 * - `refused`: this node does not accept it now, for the given reason: no money for gas, or the fee is too low.
 * - `uncertain`: not known. The same bytes may be sent again at any time.
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
