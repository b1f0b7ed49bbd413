import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'
import { invalidProof, WalletSession, walletChallenges, walletProofs } from './wallet-logins.ts'

// Signing in with a wallet on Base: CAIP-122, as EIP-4361 writes it.

const EvmSignature = z.string().regex(/^0x([0-9a-fA-F]{2}){1,8192}$/, 'must be hexadecimal digits after 0x')

/** What proves a wallet on Base: its signature of a challenge. */
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

export const signInMalformed = refusal('sign-in-malformed', 400, 'SIGN-IN-WITH-X is not base64 of a signed challenge.')

const common = { method: 'POST', tag: 'Wallet logins', errors: 'problem' } as const

export const startSiwxChallenge = endpoint({
  ...common,
  path: '/api/v1/auth/siwx/challenges',
  summary: 'Ask for a text to sign with a wallet on Base',
  description:
    'No funds, no transaction. Good for five minutes, once. Asked for without a credential it is for signing in; with an owner ' +
    'session it is for linking the wallet to that account (`linkWallet`), and good for nothing else.',
  credential: ['none', 'owner-session'],
  request: {
    body: z.strictObject({
      address: z
        .string()
        .trim()
        .max(100)
        .meta({ description: 'An address, checked by its checksum where it has one.' }),
      chainId: z.literal('eip155:8453').optional(),
    }),
  },
  replies: {
    201: z.object({
      challengeId: Uuid,
      message: z.string().meta({ description: 'The text to sign (EIP-191), as it is.' }),
      info: SiwxInfo,
      expiresAt: DateTime,
    }),
  },
  limits: [walletChallenges],
})

export const verifySiwxChallenge = endpoint({
  ...common,
  path: '/api/v1/auth/siwx/verify',
  summary: 'Sign in with a signature of a wallet on Base',
  description:
    'The signature stands in the body, or with all that was signed in `SIGN-IN-WITH-X`, as the x402 extension writes it. Smart wallets ' +
    'are asked on the chain. A wallet that was never here begins an account.',
  credential: 'none',
  request: {
    headers: z.object({ 'sign-in-with-x': z.string().max(24_576).optional() }),
    // Left out where the header says it.
    body: SiwxProof.partial().optional(),
  },
  replies: { 200: WalletSession },
  cache: 'private',
  refusals: [invalidProof, signInMalformed],
  limits: [walletProofs],
})
