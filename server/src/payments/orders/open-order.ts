import { randomUUID } from 'node:crypto'
import { mostPendingQuotes, tooManyQuotes } from '@pennypost/contract/purchases'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { allocateAddress } from '../../rails/nano/custody/allocate-address.ts'
import type { PaymentServices } from '../services.ts'
import { closeLater } from './close-order.job.ts'
import { leastRaw, quoteMs } from './order-rules.ts'
import { addOrder, countPendingQuotes, type OrderKind } from './order-store.ts'

export interface Quoted {
  readonly kind: OrderKind
  readonly payerId: string | null
  readonly payeeId: string
  readonly postId: string
  readonly commentId: string | null
  readonly message: string | null
  readonly amount: bigint
  readonly commission: bigint
  readonly recipient: string
  /** Who pays through x402, and to which address: it was quoted before there was a row. */
  readonly x402?: { readonly payerWallet: string; readonly derivation: string }
}

/** Fixes a quote for an hour, with an address of its own. Needs no node. */
export async function openOrder(services: PaymentServices, tx: Tx, quoted: Quoted): Promise<string> {
  const now = services.clock.now()
  const expiresAt = new Date(now.getTime() + quoteMs)
  const { x402 } = quoted
  const address = await allocateAddress(services, tx, {
    purpose: x402 ? 'x402' : 'order',
    leastRaw: leastRaw(quoted.amount),
    expiresAt,
    derivation: x402?.derivation ?? null,
  })
  const order = await addOrder(tx, {
    id: randomUUID(),
    kind: quoted.kind,
    payer_id: quoted.payerId,
    payee_id: quoted.payeeId,
    payer_wallet: x402?.payerWallet ?? null,
    post_id: quoted.postId,
    comment_id: quoted.commentId,
    message: quoted.message,
    amount_raw: String(quoted.amount),
    commission_raw: String(quoted.commission),
    recipient: quoted.recipient,
    address_id: address.id,
    created_at: now,
    expires_at: expiresAt,
  })
  await closeLater(services, tx, order)
  return order.id
}

/** For whoever asks for quotes without paying. Those of x402 come with their payment. */
export async function requireRoomForQuote({ clock }: PaymentServices, tx: Tx, payerId: string): Promise<void> {
  const now = clock.now()
  const { count, first_ends_at } = await countPendingQuotes(tx, payerId, now)
  if (count < mostPendingQuotes) return
  const retryAfterSeconds = Math.ceil((first_ends_at!.getTime() - now.getTime()) / 1000)
  refuse(tooManyQuotes, {}, { retryAfterSeconds })
}
