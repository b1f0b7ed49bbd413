import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { invitationRequired, registrationClosed } from './invitations.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'
import { Confirms, invalidProof, WalletSession, walletChallenges, walletProofs } from './wallet-logins.ts'

// Signing in with a wallet on Base: CAIP-122 messages in the EIP-4361 format.

const EvmSignature = z.string().regex(/^0x([0-9a-fA-F]{2}){1,8192}$/, 'must be hexadecimal digits after 0x')

/** Proof that the caller holds a wallet on Base: its signature of a challenge. */
export const SiwxProof = z.strictObject({ challengeId: Uuid, signature: EvmSignature })

const SiwxInfo = z
  .object({
    domain: z.string(),
    uri: z.string(),
    version: z.literal('1'),
    chainId: z.literal('eip155:8453'),
    nonce: z.string(),
    issuedAt: DateTime,
    expirationTime: DateTime,
    statement: z.string(),
  })
  .meta({ id: 'SiwxInfo' })

export const signInMalformed = refusal(
  'sign-in-malformed',
  400,
  'SIGN-IN-WITH-X is not a base64-encoded signed challenge.',
)

const common = { method: 'POST', tag: 'Wallet logins', errors: 'problem' } as const

export const startSiwxChallenge = endpoint({
  ...common,
  path: '/api/v1/auth/siwx/challenges',
  summary: 'Get a message to sign with a wallet on Base',
  description:
    'Signing moves no money. The message can be used once, within five minutes. Without a credential the challenge is for signing ' +
    'in; with an owner session it can only link the wallet to that account (`linkWallet`), or confirm what `confirms` names.',
  credential: ['none', 'owner-session'],
  request: {
    body: z.strictObject({
      address: z.string().trim().max(100).meta({ description: 'An address. Its checksum is verified if it has one.' }),
      chainId: z.literal('eip155:8453').optional(),
      confirms: Confirms,
    }),
  },
  replies: {
    201: z.object({
      challengeId: Uuid,
      message: z.string().meta({ description: 'The exact text to sign (EIP-191).' }),
      info: SiwxInfo,
      expiresAt: DateTime,
    }),
  },
  limits: [walletChallenges],
})

export const verifySiwxChallenge = endpoint({
  ...common,
  path: '/api/v1/auth/siwx/verify',
  summary: 'Sign in with a signature from a wallet on Base',
  description:
    'Send the signature in the body, or the whole signed challenge in `SIGN-IN-WITH-X` as the x402 extension defines it. Signatures ' +
    'of smart wallets are verified on the chain. The first sign-in of a wallet creates an account.',
  credential: 'none',
  request: {
    headers: z.object({ 'sign-in-with-x': z.string().max(24_576).optional() }),
    // Optional because the header can carry the proof.
    body: SiwxProof.partial()
      .meta({ dependentRequired: { challengeId: ['signature'], signature: ['challengeId'] } })
      .optional(),
  },
  replies: { 200: WalletSession },
  cache: 'private',
  refusals: [invalidProof, signInMalformed, registrationClosed, invitationRequired],
  limits: [walletProofs],
  // Signatures of smart wallets contain the code that creates the wallet.
  maxBodyBytes: 64 * 1024,
})
