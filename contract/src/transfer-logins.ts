import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { invitationRequired, registrationClosed } from './invitations.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { AtomicAmount, DateTime, Uuid } from './schemas.ts'
import { Confirms, invalidProof, Secret, WalletSession, walletPolls, walletProofs } from './wallet-logins.ts'

/** Proof that the caller holds a wallet: a payment from it. */
export const TransferProof = z.strictObject({ transferId: Uuid, loginSecret: Secret })
/** The proof payment has not arrived yet. */
export const TransferPending = z.object({ status: z.literal('pending') })

export const transferNotFound = refusal('transfer-not-found', 404, 'No transfer login has this id.')
export const transferExpired = refusal(
  'transfer-expired',
  410,
  'This transfer login is more than fifteen minutes old. Start a new one.',
)
export const transferClaimed = refusal('transfer-claimed', 409, 'This transfer login was already used.')
export const sharedWallet = refusal(
  'shared-wallet',
  409,
  'The payment came from a wallet that many people share, so it does not prove who you are. It will be sent back.',
)

// Each uses one of our addresses and several seconds of proof of work.
const transfers = limit('wallet-transfers', { per: 'ip', max: 120, seconds: 3600 })

const common = { tag: 'Wallet logins', errors: 'problem' } as const
const params = z.object({ transferId: Uuid })

export const startNanoTransfer = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/auth/nano/transfers',
  summary: 'Get an address to prove a Nano wallet with a payment',
  description:
    'For wallets that cannot sign messages. Use a wallet that only you control: an exchange pays from a wallet that many people ' +
    'share. Send exactly `amountRaw` to `address` within fifteen minutes, then claim. The sending wallet is the one that signs in, ' +
    'and everything sent to the address is returned. Keep `requestSecret`, at least 32 random characters: sending it again returns ' +
    'the same reply. With an owner session the payment can only link the wallet to that account (`linkWallet`), or confirm what `confirms` names.',
  credential: ['none', 'owner-session'],
  request: { body: z.strictObject({ requestSecret: z.string().min(32).max(256), confirms: Confirms }) },
  replies: {
    201: z.object({
      transferId: Uuid,
      loginSecret: z.string(),
      address: z.string(),
      amountRaw: AtomicAmount,
      uri: z.string().meta({ description: 'Address and amount as a `nano:` link.' }),
      expiresAt: DateTime,
      statusUrl: z.string(),
      notice: z.string().meta({ description: 'A text to show people before they pay.' }),
    }),
  },
  limits: [transfers],
})

export const getNanoTransfer = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/auth/nano/transfers/{transferId}',
  summary: 'Check whether the proof payment has arrived',
  description:
    'Poll this until `status` is `received`, then claim the transfer. It needs no credential because it reveals nothing about the sender.',
  credential: 'none',
  request: { params },
  replies: {
    200: z.object({ transferId: Uuid, status: z.enum(['pending', 'received', 'claimed', 'expired']) }),
  },
  refusals: [transferNotFound],
  limits: [walletPolls],
})

export const claimNanoTransfer = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/auth/nano/transfers/{transferId}/claim',
  summary: 'Sign in with the proof payment',
  description:
    'Returns 202 until the payment is confirmed. The wallet that sent it is signed in, and the payment is sent back. The first sign-in of a wallet creates an account.',
  credential: 'none',
  request: { params, body: z.strictObject({ loginSecret: Secret }) },
  replies: { 200: WalletSession, 202: TransferPending },
  cache: 'private',
  refusals: [
    transferNotFound,
    invalidProof,
    transferExpired,
    transferClaimed,
    sharedWallet,
    registrationClosed,
    invitationRequired,
  ],
  limits: [walletProofs],
})
