import { moves } from '../../platform/state-machine.ts'

export type ChallengeState = 'open' | 'signed' | 'spent'

/** That a challenge is over after five minutes is a matter of its time, not of its state. */
export const challengeMoves = moves<ChallengeState>()({
  /** The signature was handed to us with the proof. */
  spend: { from: ['open'], to: 'spent' },
  /** A wallet posted its signature; whoever asked for the challenge has yet to fetch what it gives. */
  sign: { from: ['open'], to: 'signed' },
  claim: { from: ['signed'], to: 'spent' },
})
