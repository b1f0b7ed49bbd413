import type { PaymentRequired } from '@pennypost/contract/x402'
import type { PaymentRow } from '../../payments/x402/payment-store.ts'
import { type OfferParts, requirementsOf } from '../../payments/x402/x402-offer.ts'
import { accessUrl, type PricingParts, priceTerms } from '../../posts/post-view.ts'
import { offersOf } from '../../posts/pricing.ts'
import type { ReadingRow } from '../reading-store.ts'
import { siwxExtension } from '../siwx/read-proof.ts'
import { bazaarExtension, listedResource } from './bazaar.ts'
import { base64Json, paymentResponse } from './payment-response.ts'

// Titles may be long, and in scripts with four bytes per letter; the header has to pass proxies that accept 4 KB.
const longestDescription = 100

/** Why a presented payment was not taken, and the payment, where one was written down. */
export interface Tried {
  readonly reason: string
  readonly payment?: PaymentRow | undefined
}

/** The x402 extension `payment-identifier`: a client may name its payment, and need not. */
const identifierExtension = {
  'payment-identifier': {
    info: { required: false },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        required: { type: 'boolean' },
        id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
      },
      required: ['required'],
    },
  },
}

/** The 402 of a post: what it costs, as new x402 offers. */
export function postPaymentRequired(
  parts: OfferParts & PricingParts,
  post: ReadingRow,
  origin: string,
  tried: Tried = { reason: 'Payment required' },
  /** What was requested, where it is not the post itself: its ZIP, for example. */
  readUrl = accessUrl(origin, post.id),
) {
  const receives = { receives_nano: post.nano_address !== null, receives_base: post.base_address !== null }
  const offers = offersOf(priceTerms(parts, post, receives, origin, post.has_zip))
  const recipients = { XNO: post.nano_address, USDC: post.base_address }
  const subject = { purpose: 'access', postId: post.id, recipients } as const
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

/** The header holds what x402 defines; `offers` is for clients that read the body. */
export function paymentRequiredReply({ offers, ...required }: PaymentRequired, failed?: PaymentRow) {
  return {
    status: 402 as const,
    headers: { 'payment-required': base64Json(required), ...(failed && paymentResponse(failed)) },
    body: { ...required, offers },
  }
}

/** The payment is under way and nobody knows its outcome yet. Nothing is offered, so that the payer does not sign again. */
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
