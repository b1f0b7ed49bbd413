import { randomUUID } from 'node:crypto'
import type { Tx } from '../../platform/database/database.ts'
import { lockPostFigures } from '../../posts/post-figures.ts'
import { type EntitlementSource, grant } from '../entitlements/entitlement-store.ts'
import { onMoney } from '../events.ts'
import { book } from '../ledger/ledger.ts'
import type { PaymentServices } from '../services.ts'
import { addPaidOrder } from './order-store.ts'

export interface UsdcSale {
  readonly postId: string
  readonly payeeId: string
  readonly payerId: string | null
  readonly payerWallet: string
  readonly amount: bigint
  /** The creator's own address: the money never was ours. */
  readonly recipient: string
  readonly transaction: string
  readonly source: Exclude<EntitlementSource, 'purchase'>
}

/** Writes a sale down that the chain has settled, with all that follows from it. Answers its order. */
export async function recordUsdcSale(services: PaymentServices, tx: Tx, sale: UsdcSale): Promise<string> {
  const { postId, payeeId, payerId, payerWallet, amount, recipient, transaction, source } = sale
  const at = services.clock.now()
  // Before anything that refers to the Post, as whoever counts for it does.
  await lockPostFigures(tx, postId)
  const order = await addPaidOrder(tx, {
    id: randomUUID(),
    kind: 'purchase',
    asset: 'USDC',
    payer_id: payerId,
    payer_wallet: payerWallet,
    payee_id: payeeId,
    post_id: postId,
    comment_id: null,
    message: null,
    recipient,
    transaction,
    amount_raw: String(amount),
    commission_raw: '0',
    received_raw: String(amount),
    address_id: null,
    created_at: at,
    expires_at: at,
    received_at: at,
    paid_at: at,
  })
  // Whoever has it already has it still: what was paid once more is the creator's, who may give it back.
  const wallet = { network: 'eip155:8453', address: payerWallet } as const
  await grant(tx, at, { postId, accountId: payerId, wallet: null, source, orderId: order.id })
  await grant(tx, at, { postId, accountId: null, wallet, source, orderId: null })
  const shared = { asset: 'USDC', orderId: order.id, at } as const
  await book(tx, {
    ...shared,
    kind: 'sale',
    cause: `sale:${order.id}`,
    entries: [
      { account: 'outside', ref: payerWallet, amount },
      { account: 'creator', ref: payeeId, amount: -amount },
    ],
  })
  await book(tx, {
    ...shared,
    kind: 'payout',
    cause: `payout:${order.id}`,
    entries: [
      { account: 'creator', ref: payeeId, amount },
      { account: 'outside', ref: recipient, amount: -amount },
    ],
  })
  await onMoney(services, tx, { kind: 'sale-received', order })
  return order.id
}
