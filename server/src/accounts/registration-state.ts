import { moves } from '../platform/state-machine.ts'

export type RegistrationState = 'started' | 'verified' | 'key_issued'

/** A registration also expires after an hour. That is decided by `expires_at` and is not a state. */
export const registrationMoves = moves<RegistrationState>()({
  verify: { from: ['started'], to: 'verified' },
  issueKey: { from: ['verified'], to: 'key_issued' },
})
