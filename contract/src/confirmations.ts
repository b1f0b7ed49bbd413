import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { Code } from './schemas.ts'
import { invalidVerification, mailCooldown, tooManyTries } from './sessions.ts'
import { SiwxProof } from './siwx-logins.ts'
import { sharedWallet, TransferProof, transferClaimed, transferExpired, transferNotFound } from './transfer-logins.ts'
import { ConfirmedAction, invalidProof, NanoProof, PolledProof } from './wallet-logins.ts'

// Actions that cannot be undone, or that give everything away, need more than a session: a fresh code by email, or a fresh
// wallet signature.

/** A fresh proof: the code from the email or, for an account without an email address, a proof of a linked wallet. */
export const Confirmation = z.union(
  [z.strictObject({ code: Code }), NanoProof, SiwxProof, PolledProof, TransferProof],
  'must be {code}, {challengeId, account, signature}, {challengeId, signature}, {challengeId, pollSecret} or {transferId, loginSecret}',
)
export type Confirmation = z.output<typeof Confirmation>

export const noEmail = refusal(
  'no-email',
  409,
  'Your account has no email address. Confirm with a linked wallet, or add an email address first.',
)
export const confirmByEmail = refusal(
  'confirm-by-email',
  409,
  'Your account has an email address. Confirm with a code that we send there.',
)

/** The refusals of an operation that takes a confirmation. */
export const confirmationRefusals = [
  noEmail,
  confirmByEmail,
  invalidVerification,
  tooManyTries,
  invalidProof,
  transferNotFound,
  transferExpired,
  transferClaimed,
  sharedWallet,
] as const

/** Wrong codes are limited apart from this, for each account. */
export const confirmations = limit('confirmations', { per: 'account', max: 60, seconds: 3600 })

export const requestConfirmation = endpoint({
  method: 'POST',
  path: '/api/v1/account/confirmations',
  tag: 'Your data',
  summary: 'Email a code that confirms an export or a deletion',
  description:
    'The code works once, within ten minutes, and only for the `purpose` it was sent for. An account without an email address confirms with a linked wallet instead: start a challenge or a transfer login with `confirms`.',
  credential: 'owner-session',
  request: { body: z.strictObject({ purpose: ConfirmedAction }) },
  replies: { 202: z.object({ purpose: ConfirmedAction, email: z.string() }) },
  refusals: [noEmail, mailCooldown],
  errors: 'problem',
  limits: [confirmations],
})
