import type { Checkout } from '@pennypost/contract/checkout'
import { formatAmount } from '@pennypost/contract/money'
import { accessUrl } from '../../posts/post-view.ts'
import type { AccessServices } from '../services.ts'
import { paymentRequiredReply, resourceOf, type Tried } from '../x402/payment-required.ts'
import { receiptOf } from '../x402/payment-response.ts'
import type { PaymentRow } from '../x402/payment-store.ts'
import { type QuoteParts, requirement } from '../x402/quote.ts'
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
      amount: formatAmount('USDC', BigInt(checkout.amount)),
    },
    expiresAt: checkout.expires_at.toISOString(),
  }
}

function statusOf({ expires_at }: CheckoutRow, payment: PaymentRow | undefined, now: Date): Checkout['status'] {
  if (payment?.state === 'settled') return 'paid'
  if (payment?.state === 'settling') return 'pending'
  return now > expires_at ? 'expired' : 'open'
}

/** What was bought, as its buyer is told of it. */
export const paidView = (
  services: Pick<AccessServices, 'clock' | 'secrets'>,
  checkout: CheckoutRow,
  payment: PaymentRow | undefined,
  origin: string,
) => ({
  checkout: checkoutView(checkout, payment, services.clock.now()),
  receipt: payment?.state === 'settled' ? receiptOf(services, payment, accessUrl(origin, checkout.post_id)) : null,
})

/** The checkout's own quote, the same every time. */
export function checkoutPaymentRequired(parts: QuoteParts, checkout: CheckoutRow, origin: string, tried?: Tried) {
  const { id: checkoutId, post_id: postId, pay_to: baseAddress, amount, created_at } = checkout
  const subject = { purpose: 'checkout', postId, checkoutId, baseAddress, nanoAddress: null } as const
  return paymentRequiredReply(
    {
      x402Version: 2,
      error: tried?.reason ?? 'Payment required',
      offers: [],
      resource: resourceOf(accessUrl(origin, postId), 'A Post'),
      accepts: [requirement(parts, subject, 'USDC', amount, created_at)],
    },
    tried?.payment,
  )
}
