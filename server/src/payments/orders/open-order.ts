import { randomUUID } from 'node:crypto'
import type { Sale } from '@pennypost/contract/money'
import { mostPendingQuotes, tooManyQuotes } from '@pennypost/contract/purchases'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { allocateAddress } from '../../rails/nano/custody/custody.ts'
import type { PaymentServices } from '../services.ts'
import { closeLater } from './close-order.job.ts'
import { leastArrival, orderQuoteMs } from './order-rules.ts'
import { addOrder, countPendingQuotes, type OrderKind } from './order-store.ts'

export interface NewOrder {
  readonly kind: OrderKind
  readonly payerId: string | null
  readonly payeeId: string
  readonly postId: string
  readonly commentId: string | null
  readonly message: string | null
  readonly sale: Sale<'XNO'>
  /** Where the author's part goes. */
  readonly recipient: string
  /** The wallet that pays through x402, and the address it was offered before there was an order. */
  readonly x402?: { readonly payerWallet: string; readonly derivation: string }
}

/** Opens an order: fixes its price for an hour and gives it an address. Needs no node. Returns the order's id. */
export async function openOrder(services: PaymentServices, tx: Tx, order: NewOrder): Promise<string> {
  const now = services.clock.now()
  const expiresAt = new Date(now.getTime() + orderQuoteMs)
  const { sale, x402 } = order
  const address = await allocateAddress(services, tx, {
    purpose: x402 ? 'x402' : 'order',
    leastRaw: leastArrival(sale.gross),
    expiresAt,
    derivation: x402?.derivation ?? null,
  })
  const row = await addOrder(tx, {
    id: randomUUID(),
    kind: order.kind,
    payer_id: order.payerId,
    payee_id: order.payeeId,
    payer_wallet: x402?.payerWallet ?? null,
    post_id: order.postId,
    comment_id: order.commentId,
    message: order.message,
    amount_raw: String(sale.gross),
    commission_raw: String(sale.commission),
    recipient: order.recipient,
    address_id: address.id,
    created_at: now,
    expires_at: expiresAt,
  })
  await closeLater(services, tx, row)
  return row.id
}

/** Limits how many unpaid quotes an account has. Orders through x402 are opened with their payment and do not count. */
export async function requireRoomForQuote({ clock }: PaymentServices, tx: Tx, payerId: string): Promise<void> {
  const now = clock.now()
  const { count, first_ends_at } = await countPendingQuotes(tx, payerId, now)
  if (count < mostPendingQuotes) return
  const retryAfterSeconds = Math.ceil((first_ends_at!.getTime() - now.getTime()) / 1000)
  refuse(tooManyQuotes, {}, { retryAfterSeconds })
}
