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

/** A wallet that signs in to the account. */
export const Wallet = z
  .object({ kind: z.enum(['nano', 'evm']), address: z.string(), linkedAt: DateTime })
  .meta({ id: 'Wallet' })
export type Wallet = z.infer<typeof Wallet>

const Wallets = z.object({ wallets: z.array(Wallet).meta({ description: 'Those linked first stand first.' }) })

export const walletInUse = refusal('wallet-in-use', 409, 'This wallet signs in to another account.')
export const walletLimit = refusal('wallet-limit', 409, 'An account has at most 20 wallets.')
export const walletNotFound = refusal('wallet-not-found', 404, 'No wallet of yours has this address.')

const common = {
  path: '/api/v1/account/wallets',
  tag: 'Wallet logins',
  credential: 'owner-session',
  errors: 'problem',
} as const

export const listWallets = endpoint({
  ...common,
  method: 'GET',
  summary: 'The wallets that sign in to this account',
  replies: { 200: Wallets },
})

export const linkWallet = endpoint({
  ...common,
  method: 'POST',
  summary: 'Let a further wallet sign in to this account',
  description:
    'By the same proofs as signing in, asked for with this owner session: a signed challenge, one that a wallet answered through its ' +
    '`nanoauth:` link, or a proof payment. A wallet that is linked already stays as it is.',
  request: {
    body: z.union(
      [NanoProof, SiwxProof, PolledProof, TransferProof],
      'must be {challengeId, account, signature}, {challengeId, signature}, {challengeId, pollSecret} or {transferId, loginSecret}',
    ),
  },
  replies: { 200: Wallets, 202: TransferPending },
  refusals: [invalidProof, transferNotFound, transferExpired, transferClaimed, sharedWallet, walletInUse, walletLimit],
  limits: [walletProofs],
})

export const unlinkWallet = endpoint({
  ...common,
  method: 'DELETE',
  summary: 'Let a wallet sign in no more',
  description: 'Only where another login remains. Sessions that it began go on until they end.',
  request: { body: z.strictObject({ kind: Wallet.shape.kind, address: z.string().trim().max(100) }) },
  replies: { 200: Wallets },
  refusals: [walletNotFound, lastLogin],
})
