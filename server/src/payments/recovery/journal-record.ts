import { z } from 'zod'
import type { Db } from '../../platform/database/database.ts'
import { findAddress } from '../../rails/nano/custody/addresses.ts'
import type { SignedTransaction } from '../../rails/settlement.ts'
import { findOrder } from '../orders/order-store.ts'
import type { PaymentServices } from '../services.ts'
import type { PaymentRow } from '../x402/payment-store.ts'

const Time = z.iso.datetime({ offset: true }).transform((text) => new Date(text))
const Digits = z.string().regex(/^\d+$/)

const AddressRecord = z.object({
  id: Digits,
  derivation: z.string().nullable(),
  address: z.string(),
  purpose: z.string(),
  least_raw: Digits,
  created_at: Time,
  expires_at: Time,
})

const OrderRecord = z.object({
  id: z.uuid(),
  kind: z.enum(['purchase', 'tip']),
  payer_id: z.uuid().nullable(),
  payer_wallet: z.string().nullable(),
  is_guest: z.boolean().default(false),
  payee_id: z.uuid(),
  post_id: z.uuid(),
  comment_id: z.uuid().nullable(),
  message: z.string().nullable(),
  amount_raw: Digits,
  commission_raw: Digits,
  recipient: z.string(),
  created_at: Time,
  expires_at: Time,
})

const PaymentRecord = z.object({
  id: z.uuid(),
  purpose: z.enum(['access', 'tip', 'checkout']),
  post_id: z.uuid(),
  comment_id: z.uuid().nullable().default(null),
  payee_id: z.uuid(),
  network: z.enum(['nano:mainnet', 'eip155:8453']),
  asset: z.string(),
  payer: z.string(),
  nonce: z.string(),
  previous: z.string().nullable(),
  amount: Digits,
  pay_to: z.string(),
  offer_hash: z.string().transform((text) => Buffer.from(text, 'base64')),
  proof: z.looseObject({}),
  identifier: z.string().nullable(),
  valid_before: Digits.nullable(),
  seen_at_block: Digits.nullable(),
  checkout_id: z.uuid().nullable(),
  account_id: z.uuid().nullable(),
  order_id: z.uuid().nullable(),
  created_at: Time,
})

const TransactionRecord = z.object({
  hash: z.string(),
  payment_id: z.uuid(),
  signer: z.string(),
  nonce: z.number().int(),
  raw: z.string().regex(/^0x[0-9a-f]*$/i),
  replaces: z.string().optional(),
})

/** A record of what we gave out or sent: an address and its order, a payment under an x402 offer, or a USDC transaction. */
export const JournalRecord = z.object({
  address: AddressRecord.nullable(),
  order: OrderRecord.nullable(),
  payment: PaymentRecord.nullable(),
  transaction: TransactionRecord.nullable().default(null),
})
export type JournalRecord = z.output<typeof JournalRecord>

type Parts = Pick<PaymentServices, 'db' | 'journal'>

/** Records an order and its address in the journal. Call it before the payer sees the address. */
export async function journalOrder({ db, journal }: Parts, orderId: string): Promise<void> {
  await journal.append({ ...(await readOrder(db, orderId)), payment: null })
}

/** Records a payment under an x402 offer. Call it before anything is sent. */
export async function journalPayment({ db, journal }: Parts, payment: PaymentRow): Promise<void> {
  const { order, address } =
    payment.order_id === null ? { order: null, address: null } : await readOrder(db, payment.order_id)
  const offer_hash = payment.offer_hash.toString('base64')
  await journal.append({ order, address, payment: only(PaymentRecord, { ...payment, offer_hash }) })
}

/** Records a USDC transaction before it is sent: a restored database would not know that its nonce is used. */
export const journalTransaction = (
  { journal }: Parts,
  payment_id: string,
  transaction: SignedTransaction,
): Promise<void> =>
  journal.append({ address: null, order: null, payment: null, transaction: { payment_id, ...transaction } })

async function readOrder(db: Db, orderId: string): Promise<Record<'order' | 'address', object>> {
  const order = (await findOrder(db, orderId))!
  const address = (await findAddress(db, order.address_id))!
  return { order: only(OrderRecord, order), address: only(AddressRecord, address) }
}

/** Keeps the fields of a row that the schema has. */
const only = ({ shape }: z.ZodObject, row: object): object =>
  Object.fromEntries(Object.entries(row).filter(([key]) => key in shape))
