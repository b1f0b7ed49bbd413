import { type Asset, amountOf, formatAmount } from '@pennypost/contract/money'
import { sql } from 'kysely'
import { z } from 'zod'
import { commentUrl, excerpt, type NotificationEvent } from '../../notifications/notification-event.ts'
import { notify } from '../../notifications/notify.ts'
import type { Tx } from '../../platform/database/database.ts'
import { announce, type WebhookEvent } from '../../webhooks/announce.ts'
import type { Job } from '../services.ts'

const events = ['sale-received', 'tip-received', 'payout-confirmed', 'payout-blocked'] as const
const payload = z.object({ event: z.enum(events), id: z.uuid() })

interface Notice {
  readonly recipientId: string
  readonly event: NotificationEvent
  /** False if an email has said it already. */
  readonly email?: boolean
}

/** Notifies the account that a sale, a tip, a payout or a refund concerns. */
export const notifyOfMoney: Job<typeof payload> = {
  name: 'notify-of-money',
  payload,
  attempts: 20,
  async run(services, { event, id }) {
    await services.db.transaction().execute(async (tx) => {
      const isOrder = event === 'sale-received' || event === 'tip-received'
      const order = isOrder ? await findOrder(tx, id) : undefined
      if (order) await announce(tx, services, orderWebhook(order))
      const notice = isOrder ? orderNotice(order!) : await payoutNotice(tx, id, event)
      if (!notice) return
      const { recipientId, email = true } = notice
      await notify(tx, services, notice.event, [{ recipientId, email }])
    })
  },
}

async function findOrder(tx: Tx, id: string): Promise<OrderDetails> {
  const { rows } = await sql<OrderDetails>`
    SELECT orders.id, orders.kind, orders.payer_id, orders.payee_id, orders.asset, payer.name AS payer_name, orders.post_id,
      post.title AS post_title, orders.comment_id, orders.message, orders.amount_raw, orders.commission_raw
    FROM orders JOIN posts post ON post.id = orders.post_id
    LEFT JOIN accounts payer ON payer.id = orders.payer_id WHERE orders.id = ${id}`.execute(tx)
  return rows[0]!
}

const orderNotice = (order: OrderDetails): Notice => ({
  recipientId: order.payee_id,
  event: order.kind === 'tip' ? tipEvent(order) : saleEvent(order),
})

/** The event for the author's webhooks. Amounts are in raw or atomic units, as everywhere in the API. */
const orderWebhook = (order: OrderDetails): WebhookEvent => ({
  accountId: order.payee_id,
  type: order.kind === 'tip' ? 'tip.created' : 'sale.created',
  origin: originOf(order.kind, order.id),
  data: {
    id: order.id,
    postId: order.post_id,
    postTitle: order.post_title,
    ...(order.kind === 'tip' && { commentId: order.comment_id, message: order.message }),
    currency: order.asset,
    amountAtomic: order.amount_raw,
    earnedAtomic: String(BigInt(order.amount_raw) - BigInt(order.commission_raw)),
    payerName: order.payer_name,
  },
})

/** Returns undefined if the payout was blocked but no longer is. */
async function payoutNotice(
  tx: Tx,
  id: string,
  event: 'payout-confirmed' | 'payout-blocked',
): Promise<Notice | undefined> {
  const { rows } = await sql<PayoutDetails>`
    SELECT payout.id, payout.role, payout.state, payout.payee_id, payout.amount, payout.destination, payout.block_hash,
      payout.bound_revision, payout.order_id, orders.kind AS order_kind, orders.post_id, post.title AS post_title
    FROM payouts payout JOIN orders ON orders.id = payout.order_id
    JOIN posts post ON post.id = orders.post_id WHERE payout.id = ${id}`.execute(tx)
  const payout = rows[0]!
  if (event === 'payout-confirmed')
    return {
      recipientId: payout.payee_id,
      event: payoutSentEvent(payout),
      email: !(await isEmailed(tx, payout)),
    }
  return payout.state === 'blocked' ? { recipientId: payout.payee_id, event: payoutBlockedEvent(payout) } : undefined
}

/**
 * Whether the author already got an email about this sale or tip: its payout follows within seconds and needs no second
 * one. A payout that had been blocked does get an email.
 */
async function isEmailed(tx: Tx, { role, order_id, order_kind, payee_id, bound_revision }: PayoutDetails) {
  if (role !== 'creator' || bound_revision !== null) return false
  const { rows } = await sql`SELECT FROM notification_deliveries
    WHERE account_id = ${payee_id} AND origin = ${originOf(order_kind, order_id)} AND channel = 'email'`.execute(tx)
  return rows.length > 0
}

const originOf = (kind: 'purchase' | 'tip', orderId: string): string => `${kind}:${orderId}`

export interface OrderDetails {
  readonly id: string
  readonly kind: 'purchase' | 'tip'
  /** Null for a wallet without an account. */
  readonly payer_id: string | null
  readonly payee_id: string
  readonly payer_name: string | null
  readonly asset: Asset
  readonly post_id: string
  readonly post_title: string
  readonly comment_id: string | null
  readonly message: string | null
  readonly amount_raw: string
  readonly commission_raw: string
}

export interface PayoutDetails {
  readonly id: string
  readonly role: 'creator' | 'refund'
  readonly state: 'waiting' | 'blocked' | 'confirmed'
  readonly payee_id: string
  readonly amount: string
  readonly destination: string
  readonly block_hash: string | null
  readonly bound_revision: Date | null
  readonly order_id: string
  readonly order_kind: 'purchase' | 'tip'
  readonly post_id: string
  readonly post_title: string
}

const amountText = (asset: Asset, amount: string | bigint): string =>
  `${formatAmount(asset, amountOf(asset, amount))} ${asset}`
const xno = (raw: string | bigint): string => amountText('XNO', raw)
const payerOf = ({ payer_name }: OrderDetails): string => payer_name ?? 'Someone'

export const saleEvent = (sale: OrderDetails): NotificationEvent => ({
  kind: 'new_purchase',
  origin: originOf('purchase', sale.id),
  actorId: sale.payer_id,
  postId: sale.post_id,
  purchaseId: sale.id,
  title: `${payerOf(sale)} bought “${sale.post_title}”`,
  body: `${amountText(sale.asset, sale.amount_raw)}, of which ${amountText(sale.asset, BigInt(sale.amount_raw) - BigInt(sale.commission_raw))} goes to you.`,
  url: `/posts/${sale.post_id}`,
})

export const tipEvent = (tip: OrderDetails): NotificationEvent => ({
  kind: 'tip_received',
  origin: originOf('tip', tip.id),
  actorId: tip.payer_id,
  postId: tip.post_id,
  ...(tip.comment_id !== null && { commentId: tip.comment_id }),
  title: `${payerOf(tip)} tipped you ${amountText(tip.asset, tip.amount_raw)} for ${tip.comment_id === null ? '' : 'a comment on '}“${tip.post_title}”`,
  body: excerpt(tip.message ?? ''),
  url: tip.comment_id === null ? `/posts/${tip.post_id}` : commentUrl(tip.post_id, tip.comment_id),
})

const payoutFields = (payout: PayoutDetails) => ({
  actorId: null,
  postId: payout.post_id,
  ...(payout.order_kind === 'purchase' && { purchaseId: payout.order_id }),
  url: payout.role === 'creator' ? '/studio' : `/posts/${payout.post_id}`,
})

/** For authors that were paid, and for payers whose money was sent back. */
export const payoutSentEvent = (payout: PayoutDetails): NotificationEvent => ({
  ...payoutFields(payout),
  kind: 'payout_sent',
  origin: `payout:${payout.id}`,
  title:
    payout.role === 'creator'
      ? `${xno(payout.amount)} for “${payout.post_title}” was sent to you`
      : `${xno(payout.amount)} that you sent for “${payout.post_title}” was returned to you`,
  body: `To ${payout.destination}, in block ${payout.block_hash}.`,
})

export const payoutBlockedEvent = (payout: PayoutDetails): NotificationEvent => ({
  ...payoutFields(payout),
  kind: 'account_issue',
  // A payout may be blocked again after it was bound to another address.
  origin: `payout-blocked:${payout.id}:${payout.bound_revision?.getTime() ?? 0}`,
  title:
    payout.role === 'creator'
      ? `${xno(payout.amount)} for “${payout.post_title}” needs a payout address`
      : `${xno(payout.amount)} that you sent for “${payout.post_title}” could not be sent back yet`,
  body:
    payout.role === 'creator'
      ? 'Save a Nano address, then assign this payout to it. No money is lost, and the buyer can read the post.'
      : 'No money is lost. An administrator will look into it.',
})
