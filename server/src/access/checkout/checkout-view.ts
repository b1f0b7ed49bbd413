import type { NanoCheckout, UsdcCheckout } from '@pennypost/contract/checkout'
import type { Call, Endpoint } from '@pennypost/contract/endpoint'
import { amountOf, formatAmount } from '@pennypost/contract/money'
import { findLastPayment, findOrder, isSold, type OrderState, stateAt } from '../../payments/orders/order-store.ts'
import { type DetailedOrder, orderUri } from '../../payments/orders/order-view.ts'
import type { PaymentRow } from '../../payments/x402/payment-store.ts'
import { makeOffer, type OfferParts } from '../../payments/x402/x402-offer.ts'
import { accessUrl } from '../../posts/post-view.ts'
import type { AccessServices } from '../services.ts'
import type { Required } from '../x402/payment-required.ts'
import { receiptOf, resourceOf, withSignedOffers } from '../x402/x402-replies.ts'
import { type CheckoutRow, findCheckoutPayment } from './checkout-store.ts'
import { guestSession } from './guest-session.ts'
import type { OwnCheckout } from './own-checkout.ts'

export function usdcCheckoutView(checkout: CheckoutRow, payment: PaymentRow | undefined, now: Date): UsdcCheckout {
  return {
    id: checkout.id,
    status: usdcStatus(checkout, payment, now),
    postId: checkout.post_id,
    quote: {
      asset: 'USDC',
      network: 'eip155:8453',
      payTo: checkout.pay_to,
      amountAtomic: checkout.amount,
      amount: formatAmount('USDC', amountOf('USDC', checkout.amount)),
    },
    expiresAt: checkout.expires_at.toISOString(),
  }
}

function usdcStatus({ expires_at }: CheckoutRow, payment: PaymentRow | undefined, now: Date): UsdcCheckout['status'] {
  if (payment?.state === 'settled') return 'paid'
  if (payment?.state === 'settling') return 'pending'
  return now > expires_at ? 'expired' : 'open'
}

/** For a buyer it is paid once the money is confirmed, although its author may still wait for it. */
const nanoStatus: Record<OrderState, NanoCheckout['status']> = {
  pending: 'open',
  received: 'paid',
  paid: 'paid',
  expired: 'expired',
  cancelled: 'cancelled',
}

export const nanoCheckoutView = (order: DetailedOrder, now: Date): NanoCheckout => ({
  id: order.id,
  kind: order.kind,
  status: nanoStatus[stateAt(order, now)],
  postId: order.post_id,
  quote: {
    asset: 'XNO',
    network: 'nano:mainnet',
    amountRaw: order.amount_raw,
    amount: formatAmount('XNO', amountOf('XNO', order.amount_raw)),
  },
  receivedRaw: order.received_raw,
  refundedRaw: order.refunded_raw,
  expiresAt: order.expires_at.toISOString(),
})

/** Where a payer sends the money of an order. */
export const nanoPaymentView = (order: DetailedOrder, siteName: string) => ({
  address: order.address!,
  amountRaw: order.amount_raw,
  uri: orderUri(order, siteName),
})

type Parts = Pick<AccessServices, 'db' | 'clock' | 'secrets' | 'tokens'>
type CheckoutCall = Pick<Call<Endpoint>, 'origin' | 'visit'>

/**
 * The checkout, its receipt and, if it is paid, a guest's session.
 * @param session which session to return; `none` for a caller who already has one.
 */
export async function paidView(
  services: Parts,
  own: OwnCheckout,
  { origin, visit }: CheckoutCall,
  session: 'none' | 'recent' | 'new',
  payment?: PaymentRow,
) {
  const now = services.clock.now()
  const sessionOf = async (order: Parameters<typeof guestSession>[1]) =>
    session === 'none' ? null : guestSession(services, order, session === 'new', visit)
  if (own.asset === 'XNO') {
    const { order } = own
    const checkout = nanoCheckoutView(order, now)
    if (!isSold(order)) return { checkout, receipt: null, session: null }
    const receipt = await nanoReceipt(services, order, origin)
    return { checkout, receipt, session: await sessionOf(order) }
  }
  const paid = payment ?? (await findCheckoutPayment(services.db, own.checkout.id))
  const checkout = usdcCheckoutView(own.checkout, paid, now)
  if (paid?.state !== 'settled') return { checkout, receipt: null, session: null }
  const receipt = receiptOf(services, paid, accessUrl(origin, own.checkout.post_id))
  return { checkout, receipt, session: await sessionOf((await findOrder(services.db, paid.order_id!))!) }
}

async function nanoReceipt({ db, secrets }: Pick<Parts, 'db' | 'secrets'>, order: DetailedOrder, origin: string) {
  const { hash, source } = await findLastPayment(db, order)
  const payment = {
    network: 'nano:mainnet',
    payer: order.payer_wallet ?? source,
    nonce: hash,
    transaction: hash,
  } as const
  return receiptOf({ secrets }, { ...payment, settled_at: order.received_at }, accessUrl(origin, order.post_id))
}

/** The checkout's own offer, the same every time. */
export async function checkoutPaymentRequired(
  parts: OfferParts,
  checkout: CheckoutRow,
  origin: string,
  reason = 'Payment required',
): Promise<Required> {
  const { id: checkoutId, post_id: postId, pay_to: payTo, amount, created_at } = checkout
  const subject = { purpose: 'checkout', postId, checkoutId, recipients: { XNO: null, USDC: payTo } } as const
  return withSignedOffers(
    { secrets: parts.secrets, issuedAt: created_at },
    {
      x402Version: 2,
      error: reason,
      offers: [],
      resource: resourceOf(accessUrl(origin, postId), 'A post'),
      accepts: [await makeOffer(parts, subject, 'USDC', amount, created_at)],
    },
  )
}
