import { type Asset, amountOf, formatAmount } from '@pennypost/contract/money'
import { commentUrl, excerpt, type News } from '../../notifications/news.ts'

// Notifications about money, in the words that people read.

export interface OrderNews {
  readonly id: string
  readonly kind: 'purchase' | 'tip'
  /** Null: a wallet without an account. */
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

export interface PayoutNews {
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

const words = (asset: Asset, amount: string | bigint): string =>
  `${formatAmount(asset, amountOf(asset, amount))} ${asset}`
const xno = (raw: string | bigint): string => words('XNO', raw)
const payerOf = ({ payer_name }: OrderNews): string => payer_name ?? 'Somebody'

export const saleNews = (sale: OrderNews): News => ({
  kind: 'new_purchase',
  origin: `purchase:${sale.id}`,
  actorId: sale.payer_id,
  postId: sale.post_id,
  purchaseId: sale.id,
  title: `${payerOf(sale)} bought “${sale.post_title}”`,
  body: `${words(sale.asset, sale.amount_raw)}, of which ${words(sale.asset, BigInt(sale.amount_raw) - BigInt(sale.commission_raw))} goes to you.`,
  url: `/posts/${sale.post_id}`,
})

export const tipNews = (tip: OrderNews): News => ({
  kind: 'tip_received',
  origin: `tip:${tip.id}`,
  actorId: tip.payer_id,
  postId: tip.post_id,
  ...(tip.comment_id !== null && { commentId: tip.comment_id }),
  title: `${payerOf(tip)} tipped you ${xno(tip.amount_raw)} for ${tip.comment_id === null ? '' : 'a Comment under '}“${tip.post_title}”`,
  body: excerpt(tip.message ?? ''),
  url: tip.comment_id === null ? `/posts/${tip.post_id}` : commentUrl(tip.post_id, tip.comment_id),
})

const aboutPayout = (payout: PayoutNews) => ({
  actorId: null,
  postId: payout.post_id,
  ...(payout.order_kind === 'purchase' && { purchaseId: payout.order_id }),
  url: payout.role === 'creator' ? '/studio' : `/posts/${payout.post_id}`,
})

/** Tells creators that they were paid, and payers that money came back. */
export const paidNews = (payout: PayoutNews): News => ({
  ...aboutPayout(payout),
  kind: 'payout_sent',
  origin: `payout:${payout.id}`,
  title:
    payout.role === 'creator'
      ? `${xno(payout.amount)} for “${payout.post_title}” was sent to you`
      : `${xno(payout.amount)} that you sent for “${payout.post_title}” came back`,
  body: `To ${payout.destination}, in block ${payout.block_hash}.`,
})

export const blockedNews = (payout: PayoutNews): News => ({
  ...aboutPayout(payout),
  kind: 'account_issue',
  // It may be blocked again after it was bound to another address.
  origin: `payout-blocked:${payout.id}:${payout.bound_revision?.getTime() ?? 0}`,
  title:
    payout.role === 'creator'
      ? `${xno(payout.amount)} for “${payout.post_title}” waits for an address of yours`
      : `${xno(payout.amount)} that you sent for “${payout.post_title}” could not be sent back yet`,
  body:
    payout.role === 'creator'
      ? 'Save a Nano address, then bind this payout to it. Nothing is lost, and the buyer has what they paid for.'
      : 'Nothing is lost: it waits for an administrator.',
})
