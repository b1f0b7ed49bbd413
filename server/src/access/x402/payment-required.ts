import type { PaymentRequired } from '@pennypost/contract/x402'
import { accessUrl, type PricingParts, priceTerms } from '../../posts/post-view.ts'
import { offersOf } from '../../posts/pricing.ts'
import type { ReadingRow } from '../reading-store.ts'
import { siwxExtension } from '../siwx/read-proof.ts'
import { bazaarExtension, listedResource } from './bazaar.ts'
import { identifierExtension } from './payment-identifier.ts'
import { base64Json, paymentResponse } from './payment-response.ts'
import type { PaymentRow } from './payment-store.ts'
import { type QuoteParts, requirementsOf } from './quote.ts'

// Titles may be long, and in scripts that need four bytes a letter; the header has to pass proxies that take 4 KB.
const longestDescription = 100

/** Why a payment that was tried is of no use, and the payment, where there is one. */
export interface Tried {
  readonly reason: string
  readonly payment?: PaymentRow | undefined
}

/** The 402 of a Post: what it costs, in a quote of its own. */
export function postPaymentRequired(
  parts: QuoteParts & PricingParts,
  post: ReadingRow,
  origin: string,
  tried: Tried = { reason: 'Payment required' },
  /** What somebody asked for, where it is not the Post itself: its ZIP, say. */
  readUrl = accessUrl(origin, post.id),
) {
  const receives = { receives_nano: post.nano_address !== null, receives_base: post.base_address !== null }
  const offers = offersOf(priceTerms(parts, post, receives, origin, post.has_zip))
  const { nano_address: nanoAddress, base_address: baseAddress } = post
  const subject = { purpose: 'access', postId: post.id, nanoAddress, baseAddress } as const
  const resource = listedResource(parts, resourceOf(accessUrl(origin, post.id), post.title))
  return paymentRequiredReply(
    {
      x402Version: 2,
      error: tried.reason,
      resource,
      accepts: requirementsOf(parts, subject, offers),
      offers,
      extensions: { ...siwxExtension(parts, readUrl), ...identifierExtension, ...bazaarExtension(parts) },
    },
    tried.payment,
  )
}

/** The header holds what x402 knows; the offers are for those who read the body. */
export function paymentRequiredReply({ offers, ...required }: PaymentRequired, failed?: PaymentRow) {
  return {
    status: 402 as const,
    headers: { 'payment-required': base64Json(required), ...(failed && paymentResponse(failed)) },
    body: { ...required, offers },
  }
}

/** The payment is under way and nobody knows yet how it ends. Nothing is asked for: whoever signed does not sign again. */
export const paymentPendingReply = (resource: PaymentRequired['resource'], payment: PaymentRow) => ({
  status: 402 as const,
  headers: paymentResponse(payment),
  body: { x402Version: 2 as const, error: 'settlement_pending', resource, accepts: [], offers: [] },
})

export const resourceOf = (url: string, title: string) => ({
  url,
  description: [...title].slice(0, longestDescription).join(''),
  mimeType: 'application/json',
})
