import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { AtomicAmount } from './money.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'
import { invalidProof, Secret, WalletSession, walletPolls, walletProofs } from './wallet-logins.ts'

/** What proves a wallet: a payment from it. */
export const TransferProof = z.strictObject({ transferId: Uuid, loginSecret: Secret })
/** The proof payment is not there yet. */
export const TransferPending = z.object({ status: z.literal('pending') })

export const transferNotFound = refusal('transfer-not-found', 404, 'No transfer login has this id.')
export const transferExpired = refusal(
  'transfer-expired',
  410,
  'This transfer login is over fifteen minutes old: start a new one.',
)
export const transferClaimed = refusal('transfer-claimed', 409, 'This transfer login was used already.')
export const sharedWallet = refusal(
  'shared-wallet',
  409,
  'The payment came from a wallet that many people share, so it proves nobody. It is sent back.',
)

// Each takes an address of ours and some seconds of work.
const transfers = limit('wallet-transfers', { per: 'ip', max: 120, seconds: 3600 })

const common = { tag: 'Wallet logins', errors: 'problem' } as const
const params = z.object({ transferId: Uuid })

export const startNanoTransfer = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/auth/nano/transfers',
  summary: 'Ask for an address to prove a wallet by a payment',
  description:
    'For wallets that cannot sign a text. Only for a wallet that you alone hold: an exchange pays from one that many people share. ' +
    'Send exactly `amountRaw` to `address` within fifteen minutes, then claim. Whoever sent it is who signs in, and everything that ' +
    'comes to the address is sent back. Keep `requestSecret`, at least 32 random characters: the same one answers the same again. ' +
    'With an owner session it is for linking the wallet to that account (`linkWallet`), and good for nothing else.',
  credential: ['none', 'owner-session'],
  request: { body: z.strictObject({ requestSecret: z.string().min(32).max(256) }) },
  replies: {
    201: z.object({
      transferId: Uuid,
      loginSecret: z.string(),
      address: z.string(),
      amountRaw: AtomicAmount,
      uri: z.string().meta({ description: 'The same as a `nano:` link.' }),
      expiresAt: DateTime,
      statusUrl: z.string(),
      notice: z.string().meta({ description: 'What to tell a person before they pay.' }),
    }),
  },
  limits: [transfers],
})

export const getNanoTransfer = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/auth/nano/transfers/{transferId}',
  summary: 'Whether the proof payment is there',
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
  credential: 'none',
  request: { params, body: z.strictObject({ loginSecret: Secret }) },
  replies: { 200: WalletSession, 202: TransferPending },
  cache: 'private',
  refusals: [transferNotFound, invalidProof, transferExpired, transferClaimed, sharedWallet],
  limits: [walletProofs],
})
