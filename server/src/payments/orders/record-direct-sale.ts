import { randomUUID } from 'node:crypto'
import { type Amount, type Asset, networkOf } from '@pennypost/contract/money'
import type { Tx } from '../../platform/database/database.ts'
import { lockPostFigures } from '../../posts/post-figures.ts'
import { type EntitlementSource, grant } from '../entitlements/entitlement-store.ts'
import { recordMoney } from '../finance/record-money.ts'
import { book, negative } from '../ledger/ledger.ts'
import type { PaymentServices } from '../services.ts'
import { addPaidOrder } from './order-store.ts'

export interface DirectSale<A extends Asset> {
  readonly asset: A
  readonly postId: string
  readonly payeeId: string
  readonly payerId: string | null
  readonly payerWallet: string
  readonly amount: Amount<A>
  /** The creator's own address: the money never was ours. */
  readonly recipient: string
  readonly transaction: string
  readonly source: Exclude<EntitlementSource, 'purchase'>
}

/**
 * Records a sale whose money went straight to the creator and is final on the chain: the order, paid from the start,
 * the entitlements, the ledger and the figures. Returns the order's id.
 */
export async function recordDirectSale<A extends Asset>(
  services: Pick<PaymentServices, 'clock'>,
  tx: Tx,
  sale: DirectSale<A>,
): Promise<string> {
  const { asset, postId, payeeId, payerId, payerWallet, amount, recipient, transaction, source } = sale
  const at = services.clock.now()
  // A post's figures are locked before anything that refers to the post, here and wherever they are counted.
  await lockPostFigures(tx, postId)
  const order = await addPaidOrder(tx, {
    id: randomUUID(),
    kind: 'purchase',
    asset,
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
  // A buyer who has the post already keeps it. The second payment is the creator's, who may give it back.
  const wallet = { network: networkOf[asset], address: payerWallet }
  await grant(tx, at, { postId, accountId: payerId, wallet: null, source, orderId: order.id })
  await grant(tx, at, { postId, accountId: null, wallet, source, orderId: null })
  const shared = { asset, orderId: order.id, at }
  await book(tx, {
    ...shared,
    kind: 'sale',
    cause: `sale:${order.id}`,
    entries: [
      { account: 'outside', ref: payerWallet, amount },
      { account: 'creator', ref: payeeId, amount: negative(amount) },
    ],
  })
  await book(tx, {
    ...shared,
    kind: 'payout',
    cause: `payout:${order.id}`,
    entries: [
      { account: 'creator', ref: payeeId, amount },
      { account: 'outside', ref: recipient, amount: negative(amount) },
    ],
  })
  await recordMoney(services, tx, { kind: 'sale-received', order })
  return order.id
}
