import type { PaymentRequired } from '@pennypost/contract/x402'
import type { PaymentRow } from '../../payments/x402/payment-store.ts'
import { type OfferParts, requirementsOf } from '../../payments/x402/x402-offer.ts'
import { accessUrl, type PricingParts, priceTerms } from '../../posts/post-view.ts'
import { offersOf } from '../../posts/pricing.ts'
import type { Listing } from '../../rails/rail.ts'
import { railOf } from '../../rails/rails.ts'
import type { ReadingRow } from '../reading-store.ts'
import type { AccessServices } from '../services.ts'
import { siwxExtension } from '../siwx/read-proof.ts'
import { receiptExtension } from './signed-receipt.ts'

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

export const retryAfterSeconds = 2

/** `PAYMENT-RESPONSE` of a payment that is not settled, in x402's words. */
export function paymentResponse(payment: PaymentRow): Record<string, string> {
  const { state, failure } = payment
  const shared = moved(payment)
  if (state === 'failed') return header({ success: false, errorReason: failure, ...shared })
  const pending = { success: false, errorReason: 'settlement_pending', ...shared }
  return { ...header(pending), 'retry-after': String(retryAfterSeconds) }
}

/** `PAYMENT-RESPONSE` of a settled payment: its receipt. */
export const settledResponse = (...of: Parameters<typeof receiptOf>) => header(receiptOf(...of))

/** What a buyer keeps of a settled payment. */
export const receiptOf = ({ secrets }: Pick<AccessServices, 'secrets'>, payment: PaymentRow, resourceUrl: string) => ({
  success: true as const,
  ...moved(payment),
  extensions: receiptExtension(secrets, payment, resourceUrl),
})

// A block's hash is known before it is published; a transaction that moves USDC is known once it is signed.
const moved = ({ network, payer, nonce, transaction }: PaymentRow) => ({
  transaction: transaction ?? (railOf(network).isNamedByNonce ? nonce : ''),
  network,
  payer,
})

export const base64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

const header = (response: object) => ({ 'payment-response': base64Json(response) })

// x402's `bazaar` extension describes a post to catalogs. It makes the header of every 402 longer, so it is there only
// with `BAZAAR=1`. Each post is a separate entry: the URL has no template.

const example = { access: 'purchased', contentMarkdown: '…', paidContentMarkdown: '…', attachments: [] }

const extension = {
  bazaar: {
    info: { input: { type: 'http', method: 'GET' }, output: { type: 'json', example } },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: { type: { const: 'http' }, method: { enum: ['GET'] } },
          required: ['type', 'method'],
        },
        output: { type: 'object' },
      },
      required: ['input'],
    },
  },
}

type Parts = Pick<AccessServices, 'config'>
type Resource = Omit<PaymentRequired['resource'], 'serviceName'>

export const bazaarExtension = ({ config }: Parts) => (config.bazaar ? extension : {})

export const listedResource = ({ config }: Parts, resource: Resource) =>
  config.bazaar ? { ...resource, serviceName: 'Pennypost' } : resource

/** What a facilitator's catalog learns with a payment: our own words, not those a client echoes. */
export const listingOf = (parts: Parts, resource: Resource): Listing | undefined =>
  parts.config.bazaar ? { resource: listedResource(parts, resource), extensions: extension } : undefined
