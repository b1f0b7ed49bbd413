import { z } from 'zod'
import { limitsByAccountAndAddress } from './limit.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'

// The fields that purchases and tips have in common: each order has an exact quote and, in Nano, its own address.

export const Raw = z.string().meta({ description: 'A whole number of raw, the smallest unit of Nano.' })
export const Atomic = z.string().meta({ description: 'A whole number of the smallest unit of the asset.' })

export const nano = { asset: z.literal('XNO'), network: z.literal('nano:mainnet') }
export const either = { asset: z.enum(['XNO', 'USDC']), network: z.enum(['nano:mainnet', 'eip155:8453']) }

export const Quote = z
  .object({
    amount_raw: Raw,
    amount: z.string().meta({ description: 'In XNO, such as 0.25.' }),
    ...nano,
    expires_at: DateTime,
  })
  .meta({ id: 'NanoQuote' })

export const EphemeralAddress = z
  .object({
    ephemeral_address: z.string(),
    expires_at: DateTime,
    uri: z.string().meta({ description: 'A `nano:` link with the address and the exact amount.' }),
  })
  .meta({ id: 'EphemeralAddress' })

const OrderStatus = z.enum(['pending', 'received', 'paid', 'cancelled', 'expired']).meta({
  description:
    '`received`: the full amount is confirmed and access is granted. `paid`: the creator has been paid. A full payment that arrives late, within 24 hours after the quote ended or was cancelled, buys if the price is not higher by then; otherwise it is returned.',
})

export const orderFields = {
  id: Uuid,
  post_id: Uuid,
  status: OrderStatus,
  amount_raw: Atomic,
  received_raw: Atomic.meta({ description: 'Everything that was received, including what is refunded.' }),
  refunded_raw: Atomic.meta({
    description: 'What is returned to the senders: overpayments, payments that came too late, duplicates.',
  }),
  created_at: DateTime,
  received_at: DateTime.nullable(),
  paid_at: DateTime.nullable(),
  payout: z.object({
    status: z.enum(['none', 'waiting', 'blocked', 'confirmed']),
    block_hash: z.string().nullable().meta({ description: 'The block or transaction that paid the creator.' }),
  }),
}

/** The most unpaid quotes an account can have. Each uses an address that is watched for an hour. */
export const maxPendingQuotes = 300
export const tooManyQuotes = refusal(
  'too-many-quotes',
  429,
  'Too many of your quotes are waiting for payment. Pay or cancel some, or wait until they expire.',
)
export const tooManyStreams = refusal(
  'too-many-streams',
  429,
  'You are watching too many orders at the same time. Close some, or get their status without a stream.',
)

export const owner = { tag: 'Purchases and tips', credential: 'owner-session', errors: 'problem' } as const
export const newOrders = limitsByAccountAndAddress('orders', { account: 300, address: 1500, seconds: 60 })
export const accept = z.object({ accept: z.string().optional() })
