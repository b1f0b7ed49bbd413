import type { Checkout } from '@pennypost/contract/checkout'
import { amountOf, formatAmount } from '@pennypost/contract/money'
import type { PaymentRow } from '../../payments/x402/payment-store.ts'
import { makeOffer, type OfferParts } from '../../payments/x402/x402-offer.ts'
import { accessUrl } from '../../posts/post-view.ts'
import type { AccessServices } from '../services.ts'
import { paymentRequiredReply, receiptOf, resourceOf, type Tried } from '../x402/x402-replies.ts'
import type { CheckoutRow } from './checkout-store.ts'

export function checkoutView(checkout: CheckoutRow, payment: PaymentRow | undefined, now: Date): Checkout {
  return {
    id: checkout.id,
    status: statusOf(checkout, payment, now),
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

function statusOf({ expires_at }: CheckoutRow, payment: PaymentRow | undefined, now: Date): Checkout['status'] {
  if (payment?.state === 'settled') return 'paid'
  if (payment?.state === 'settling') return 'pending'
  return now > expires_at ? 'expired' : 'open'
}

/** The checkout and its receipt, as the buyer sees them. */
export const paidView = (
  services: Pick<AccessServices, 'clock' | 'secrets'>,
  checkout: CheckoutRow,
  payment: PaymentRow | undefined,
  origin: string,
) => ({
  checkout: checkoutView(checkout, payment, services.clock.now()),
  receipt: payment?.state === 'settled' ? receiptOf(services, payment, accessUrl(origin, checkout.post_id)) : null,
})

/** The checkout's own offer, the same every time. */
export function checkoutPaymentRequired(parts: OfferParts, checkout: CheckoutRow, origin: string, tried?: Tried) {
  const { id: checkoutId, post_id: postId, pay_to: payTo, amount, created_at } = checkout
  const subject = { purpose: 'checkout', postId, checkoutId, recipients: { XNO: null, USDC: payTo } } as const
  return paymentRequiredReply(
    {
      x402Version: 2,
      error: tried?.reason ?? 'Payment required',
      offers: [],
      resource: resourceOf(accessUrl(origin, postId), 'A Post'),
      accepts: [makeOffer(parts, subject, 'USDC', amount, created_at)],
    },
    tried?.payment,
  )
}
