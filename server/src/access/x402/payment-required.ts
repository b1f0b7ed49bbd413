import type { PaymentRequired } from '@pennypost/contract/x402'
import { accessUrl, type PricingParts, priceTerms } from '../../posts/post-view.ts'
import { offersOf } from '../../posts/pricing.ts'
import type { ReadingRow } from '../reading-store.ts'
import { type QuoteParts, requirementsOf } from './quote.ts'

// Titles may be long, and in scripts that need four bytes a letter; the header has to pass proxies that take 4 KB.
const longestDescription = 100

/** The 402 of a Post. A proof that was of no use says why. */
export function postPaymentRequired(
  parts: QuoteParts & PricingParts,
  post: ReadingRow,
  origin: string,
  error = 'Payment required',
) {
  const url = accessUrl(origin, post.id)
  const receives = { receives_nano: post.nano_address !== null, receives_base: post.base_address !== null }
  const offers = offersOf(priceTerms(parts, post, receives, origin, post.has_zip))
  const { nano_address: nanoAddress, base_address: baseAddress } = post
  const subject = { purpose: 'access', postId: post.id, nanoAddress, baseAddress } as const
  const required = {
    x402Version: 2 as const,
    error,
    resource: { url, description: [...post.title].slice(0, longestDescription).join(''), mimeType: 'application/json' },
    accepts: requirementsOf(parts, subject, offers),
  }
  return paymentRequiredReply({ ...required, offers })
}

/** The header holds what x402 knows; the offers are for those who read the body. */
export function paymentRequiredReply({ offers, ...required }: PaymentRequired) {
  return {
    status: 402 as const,
    headers: { 'payment-required': base64Json(required) },
    body: { ...required, offers },
  }
}

export const base64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')
