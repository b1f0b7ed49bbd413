/**
 * The outcome of publishing a block.
 * - `accepted`: the node has it now. It is not confirmed yet.
 * - `old`: the node already had it, which is just as good.
 * - `fork`: another block has its position. Look the block up by its hash before believing this.
 * - `gap`: the node does not have the previous block, or the send that this block receives.
 * - `refused`: the block is invalid, for the given reason.
 * - `uncertain`: not known. A timeout is not a failure: publish the same block again, or look it up.
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
