/**
 * What became of a signed transaction that was handed to a node.
 * - `accepted`: a node has it, or had it already.
 * - `nonce-used`: the account has another transaction in its place, or this one is mined already. Ask for its receipt.
 * - `refused`: this node does not take it now, for the reason given: no gas money, too low a fee.
 * - `uncertain`: nobody knows. The same bytes may be handed over again at any time.
 */
export type BroadcastOutcome =
  | { readonly kind: 'accepted' | 'nonce-used' }
  | { readonly kind: 'refused' | 'uncertain'; readonly cause: string }

/** A node's words, which differ between kinds of nodes. What is not known leaves everything open. */
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
