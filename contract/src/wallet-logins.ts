import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'
import { SessionUser, TokenPair } from './sessions.ts'

/** A session that a wallet began; `created` says that the account began with it. */
export const WalletSession = TokenPair.extend({ session: SessionUser.extend({ created: z.boolean() }) }).meta({
  id: 'WalletSession',
})

/** `nano_` or `xrb_`, in any case; checked by its checksum. */
const NanoAccount = z.string().trim().max(100).meta({ description: 'A Nano address, with `nano_` or `xrb_`.' })
const NanoSignature = z.string().regex(/^[0-9a-fA-F]{128}$/, 'must be 128 hexadecimal digits')
export const Secret = z.string().max(256)

/** What proves a wallet: its signature of a challenge. */
export const NanoProof = z.strictObject({ challengeId: Uuid, account: NanoAccount, signature: NanoSignature })
/** The same, signed through a `nanoauth:` link: whoever asked for the challenge says so. */
export const PolledProof = z.strictObject({ challengeId: Uuid, pollSecret: Secret })

// One sentence for every way a proof can fail: which it was is nobody's business.
export const invalidProof = refusal(
  'invalid-proof',
  401,
  'The proof is wrong, expired, already used, or for something else.',
)
export const challengeNotFound = refusal('challenge-not-found', 404, 'No challenge has this id.')

// Generous: many people may share an address. A signature costs us some milliseconds.
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
  summary: 'Ask for a text to sign with a Nano account',
  description:
    'No funds, no transaction. The text names this service, the purpose, the account, a nonce and its times; it is good for five ' +
    'minutes, once. Asked for without a credential it is for signing in; with an owner session it is for linking the wallet to that ' +
    'account (`linkWallet`), and good for nothing else. Sign `message`, or open `uri` in a wallet that takes `nanoauth:` links and ' +
    'ask `statusUrl` with `pollSecret` as bearer token.',
  credential: ['none', 'owner-session'],
  request: { body: z.strictObject({ account: NanoAccount }) },
  replies: {
    201: z.object({
      challengeId: Uuid,
      message: z.string().meta({ description: 'One line of ASCII.' }),
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
  summary: 'Sign in with a signature',
  description:
    'The signature is over the message by ORIS-001 (NOMS), or over the plain blake2b-256 of its bytes. A wallet that was never here ' +
    'begins an account.',
  credential: 'none',
  request: { body: NanoProof },
  replies: { 200: WalletSession },
  cache: 'private',
  refusals: [invalidProof],
  limits: [walletProofs],
})

export const answerNanoChallenge = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/auth/nano/challenges/{challengeId}/wallet',
  summary: 'What a wallet posts after a `nanoauth:` link',
  description:
    "The signature is over the bytes of `formatted`: the wallet's time in Unix seconds, the link's label and its account, with " +
    'colons between. Fields beside these are not looked at.',
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
  summary: 'Whether a wallet has signed, and the session, once',
  description:
    '`pending` until the wallet posted its signature. The first answer after that is `signed` and carries the session, the next ones ' +
    'say `claimed`. A challenge for linking stays `signed` until `linkWallet`. `expired` after five minutes.',
  credential: 'poll-secret',
  request: { params },
  replies: {
    200: z
      .object({ challengeId: Uuid, status: z.enum(['pending', 'signed', 'claimed', 'expired']) })
      .extend(WalletSession.partial().shape),
  },
  refusals: [challengeNotFound, invalidProof],
  limits: [walletPolls],
})
