import { z } from 'zod'
import { lastLogin } from './account-email.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { DateTime } from './schemas.ts'
import { SiwxProof } from './siwx-logins.ts'
import {
  sharedWallet,
  TransferPending,
  TransferProof,
  transferClaimed,
  transferExpired,
  transferNotFound,
} from './transfer-logins.ts'
import { invalidProof, NanoProof, PolledProof, walletProofs } from './wallet-logins.ts'

/** A wallet that can sign in to the account. */
export const Wallet = z
  .object({ kind: z.enum(['nano', 'evm']), address: z.string(), linkedAt: DateTime })
  .meta({ id: 'Wallet' })
export type Wallet = z.infer<typeof Wallet>

const Wallets = z.object({ wallets: z.array(Wallet).meta({ description: 'Oldest link first.' }) })

export const walletInUse = refusal('wallet-in-use', 409, 'This wallet is linked to another account.')
export const walletLimit = refusal('wallet-limit', 409, 'An account can have at most 20 wallets.')
export const walletNotFound = refusal('wallet-not-found', 404, 'You have no wallet with this address.')

const common = {
  path: '/api/v1/account/wallets',
  tag: 'Wallet logins',
  credential: 'owner-session',
  errors: 'problem',
} as const

export const listWallets = endpoint({
  ...common,
  method: 'GET',
  summary: 'List your linked wallets',
  description: 'Any of them can sign in to this account.',
  replies: { 200: Wallets },
})

export const linkWallet = endpoint({
  ...common,
  method: 'POST',
  summary: 'Link a wallet to your account',
  description:
    'Takes the same proofs as signing in, started with this owner session: a signed challenge, a challenge signed through a ' +
    '`nanoauth:` link, or a proof payment. Linking a wallet twice changes nothing.',
  request: {
    body: z.union(
      [NanoProof, SiwxProof, PolledProof, TransferProof],
      'must be {challengeId, account, signature}, {challengeId, signature}, {challengeId, pollSecret} or {transferId, loginSecret}',
    ),
  },
  replies: { 200: Wallets, 202: TransferPending },
  refusals: [invalidProof, transferNotFound, transferExpired, transferClaimed, sharedWallet, walletInUse, walletLimit],
  limits: [walletProofs],
  // Signatures of smart wallets contain the code that creates the wallet.
  maxBodyBytes: 64 * 1024,
})

export const unlinkWallet = endpoint({
  ...common,
  method: 'DELETE',
  summary: 'Unlink a wallet',
  description:
    'Only possible if you can sign in another way. Sessions that the wallet started stay valid until they expire.',
  request: { body: z.strictObject({ kind: Wallet.shape.kind, address: z.string().trim().max(100) }) },
  replies: { 200: Wallets },
  refusals: [walletNotFound, lastLogin],
})
