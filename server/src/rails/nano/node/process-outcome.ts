/**
 * What became of a block that was published.
 * - `accepted`: the node has it now. It is not confirmed yet.
 * - `old`: the node had it already, which is as good.
 * - `fork`: another block has its place. Ask for the block by its hash before believing it.
 * - `gap`: the node lacks the block before it, or the send that it receives.
 * - `refused`: never valid as it is, for the given reason.
 * - `uncertain`: nobody knows. A timeout is not a failure: publish the same block again, or ask for it.
 */
export type ProcessOutcome =
  | { readonly kind: 'accepted' | 'old' | 'fork'; readonly hash: string }
  | { readonly kind: 'gap'; readonly hash: string; readonly of: 'previous' | 'source' }
  | { readonly kind: 'refused'; readonly hash: string; readonly reason: string }
  | { readonly kind: 'uncertain'; readonly hash: string; readonly cause: string }

/** Messages that say something about the block. All others (a busy node, for example) leave the outcome open. */
const blockFaults = new Set([
  'Bad signature',
  'Unreceivable',
  'Balance and amount delta do not match',
  'Negative spend',
  'Block work is less than threshold',
  'Block work is insufficient',
  'Block is invalid',
  'Block attempts to open the burn account',
  'This block cannot follow the previous block',
])

export function refusedOutcome(reason: string, hash: string): ProcessOutcome {
  if (reason === 'Old block') return { kind: 'old', hash }
  if (reason === 'Fork') return { kind: 'fork', hash }
  if (reason === 'Gap previous block') return { kind: 'gap', hash, of: 'previous' }
  if (reason === 'Gap source block') return { kind: 'gap', hash, of: 'source' }
  if (blockFaults.has(reason)) return { kind: 'refused', hash, reason }
  return { kind: 'uncertain', hash, cause: reason }
}
