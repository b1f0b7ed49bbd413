import { moves } from '../../platform/state-machine.ts'

export type ChallengeState = 'open' | 'signed' | 'spent'

/** A challenge also expires after five minutes. That is decided by `expires_at` and is not a state. */
export const challengeMoves = moves<ChallengeState>()({
  /** The client sent the signature itself. */
  spend: { from: ['open'], to: 'spent' },
  /** A wallet posted the signature. The client that started the challenge has not fetched the result yet. */
  sign: { from: ['open'], to: 'signed' },
  claim: { from: ['signed'], to: 'spent' },
})
