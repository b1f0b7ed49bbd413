import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { invitationRequired, registrationClosed } from './invitations.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'
import { SessionUser, TokenPair } from './sessions.ts'

/** A session started by a wallet. `created` says whether this sign-in created the account. */
export const WalletSession = TokenPair.extend({ session: SessionUser.extend({ created: z.boolean() }) }).meta({
  id: 'WalletSession',
})

/** Starts with `nano_` or `xrb_`, in any case. The checksum is verified. */
const NanoAccount = z
  .string()
  .trim()
  .max(100)
  .meta({ description: 'A Nano address that starts with `nano_` or `xrb_`.' })
const NanoSignature = z.string().regex(/^[0-9a-fA-F]{128}$/, 'must be 128 hexadecimal digits')
export const Secret = z.string().max(256)

/** The actions that a code or a wallet can confirm, beyond the session. */
export const ConfirmedAction = z.enum(['export', 'deletion'])
export type ConfirmedAction = z.output<typeof ConfirmedAction>
/** With an owner session: what the wallet confirms. */
export const Confirms = ConfirmedAction.optional().meta({
  description:
    'Only with an owner session: the proof confirms this action of the account, and does not link the wallet.',
})

/** Proof that the caller holds a wallet: its signature of a challenge. */
export const NanoProof = z.strictObject({ challengeId: Uuid, account: NanoAccount, signature: NanoSignature })
/** Proof through a `nanoauth:` link: the wallet posted its signature, and this secret claims it. */
export const PolledProof = z.strictObject({ challengeId: Uuid, pollSecret: Secret })

// One sentence for every way a proof can fail, so that an attacker does not learn which it was.
export const invalidProof = refusal(
  'invalid-proof',
  401,
  'The proof is wrong, expired, already used, or meant for something else.',
)
export const challengeNotFound = refusal('challenge-not-found', 404, 'No challenge has this id.')

// Generous, because many people can share an IP address. Verifying a signature takes a few milliseconds.
export const walletChallenges = limit('wallet-challenges', { per: 'ip', max: 1200, seconds: 3600 })
export const walletProofs = limit('wallet-proofs', { per: 'ip', max: 2400, seconds: 3600 })
export const walletPolls = limit('wallet-polls', { per: 'ip', max: 12_000, seconds: 3600 })

const tag = 'Wallet logins'
const common = { tag, errors: 'problem' } as const
const params = z.object({ challengeId: Uuid })

export const startNanoChallenge = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/auth/nano/challenges',
  summary: 'Get a message to sign with a Nano wallet',
  description:
    'Signing moves no money. The message names this service, the purpose, the account, a nonce and its times. It can be used once, ' +
    'within five minutes. Without a credential the challenge is for signing in; with an owner session it can only link the wallet to ' +
    'that account (`linkWallet`), or confirm what `confirms` names. Sign `message`, or open `uri` in a wallet that supports `nanoauth:` links and poll `statusUrl` with ' +
    '`pollSecret` as the bearer token.',
  credential: ['none', 'owner-session'],
  request: { body: z.strictObject({ account: NanoAccount, confirms: Confirms }) },
  replies: {
    201: z.object({
      challengeId: Uuid,
      message: z.string().meta({ description: 'One line of ASCII text.' }),
      uri: z.string(),
      statusUrl: z.string(),
      pollSecret: z.string(),
      expiresAt: DateTime,
    }),
  },
  limits: [walletChallenges],
})

export const verifyNanoChallenge = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/auth/nano/verify',
  summary: 'Sign in with a Nano signature',
  description:
    'Sign the message by ORIS-001 (NOMS), or sign the plain blake2b-256 hash of its bytes. The first sign-in of a wallet creates ' +
    'an account.',
  credential: 'none',
  request: { body: NanoProof },
  replies: { 200: WalletSession },
  cache: 'private',
  refusals: [invalidProof, registrationClosed, invitationRequired],
  limits: [walletProofs],
})

export const answerNanoChallenge = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/auth/nano/challenges/{challengeId}/wallet',
  summary: 'Post the signature of a `nanoauth:` link',
  description:
    "Called by the wallet. The signature covers `formatted`: the wallet's time in Unix seconds, the link's label and the account, " +
    'separated by colons. Other fields are ignored.',
  credential: 'none',
  request: {
    params,
    body: z.object({ account: NanoAccount, signature: NanoSignature, formatted: z.string().max(2048) }),
  },
  replies: { 200: z.object({ status: z.literal(0) }) },
  refusals: [challengeNotFound, invalidProof],
  limits: [walletProofs],
})

export const getNanoChallenge = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/auth/nano/challenges/{challengeId}',
  summary: 'Check whether the wallet has signed, and get the session',
  description:
    '`pending` until the wallet posts its signature. The first response after that is `signed` and holds the session; later ones ' +
    'are `claimed`. A challenge of an owner session stays `signed` until it is used. `expired` after five minutes.',
  credential: 'poll-secret',
  request: { params },
  replies: {
    200: z
      .object({ challengeId: Uuid, status: z.enum(['pending', 'signed', 'claimed', 'expired']) })
      .extend(WalletSession.partial().shape),
  },
  refusals: [challengeNotFound, invalidProof, registrationClosed, invitationRequired],
  limits: [walletPolls],
})
