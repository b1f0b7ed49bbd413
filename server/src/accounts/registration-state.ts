import { moves } from '../platform/state-machine.ts'

export type RegistrationState = 'started' | 'verified' | 'key_issued'

/** §3. That an attempt is over after an hour is a matter of its time, not of its state. */
export const registrationMoves = moves<RegistrationState>()({
  verify: { from: ['started'], to: 'verified' },
  issueKey: { from: ['verified'], to: 'key_issued' },
})
