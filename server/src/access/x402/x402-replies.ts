import { walletProofRequired } from '@pennypost/contract/access'
import type { Asset } from '@pennypost/contract/money'
import type { PaymentRequired } from '@pennypost/contract/x402'
import { oneLine } from '@pennypost/site/clean-text'
import type { PaymentRow } from '../../payments/x402/payment-store.ts'
import { type OfferParts, requirementsOf } from '../../payments/x402/x402-offer.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { accessUrl, type PricingParts, priceTerms } from '../../posts/post-view.ts'
import { offersOf } from '../../posts/pricing.ts'
import { requireNano } from '../../rails/nano/require-nano.ts'
import { SignerAway } from '../../rails/node-errors.ts'
import { railsByNetwork } from '../../rails/rails.ts'
import type { ReadingRow } from '../may-read.ts'
import type { AccessServices } from '../services.ts'
import { bazaarExtension, listedResource } from './bazaar.ts'
import { offerExtension, type Receipted, receiptExtension } from './offer-receipt.ts'
import { base64Json, type Required, writePaymentRequired } from './payment-required.ts'
import { siwxExtension } from './siwx-challenge.ts'

/** Why a presented payment was not taken, and the payment if one was stored. */
export interface Tried {
  readonly reason: string
  readonly payment?: PaymentRow | undefined
}

/** The x402 extension `payment-identifier`: a client may name its payment, and need not. */
export const identifierExtension = {
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

interface PostRequest {
  readonly origin: string
  /** The offer that was asked for, if not all. */
  readonly asset: Asset | undefined
  readonly tried?: Tried | undefined
  /** What was requested, where it is not the post itself: its ZIP, for example. */
  readonly readUrl?: string
}

type PostOfferParts = OfferParts & PricingParts & Pick<AccessServices, 'config' | 'site'>

/** The 402 of a post: what it costs, as new x402 offers. */
export async function postPaymentRequired(parts: PostOfferParts, post: ReadingRow, request: PostRequest) {
  try {
    return await currentPaymentRequired(parts, post, request)
  } catch (error) {
    if (!(error instanceof SignerAway)) throw error
    // The signer turned out to be unavailable. Without it there are no addresses for Nano offers, so only the other offers
    // are made.
    return currentPaymentRequired({ ...parts, nano: { ...parts.nano, isOn: () => false } }, post, request)
  }
}

async function currentPaymentRequired(
  parts: PostOfferParts,
  post: ReadingRow,
  { origin, asset, tried, readUrl = accessUrl(origin, post.id) }: PostRequest,
) {
  const receives = { receives_nano: post.nano_address !== null, receives_base: post.base_address !== null }
  const offers = offersOf(priceTerms(parts, post, receives, origin, post.has_zip)).filter(
    (offer) => asset === undefined || offer.asset === asset,
  )
  const recipients = { XNO: post.nano_address, USDC: post.base_address }
  const subject = { purpose: 'access', postId: post.id, recipients } as const
  const accepts = await requirementsOf(parts, subject, offers)
  const mayTakeNano = post.nano_address !== null && offers.some((offer) => offer.asset === 'XNO')
  // Nano will be available again soon, so refuse for now. A refused payment gets its reason instead.
  if (accepts.length === 0 && mayTakeNano && !tried) requireNano(parts, onlyNanoAway)
  const resource = resourceOf(accessUrl(origin, post.id), describedPost(post))
  const isListed = parts.config.bazaar
  const required = withSignedOffers(
    { secrets: parts.secrets, issuedAt: parts.clock.now() },
    {
      x402Version: 2,
      error: tried?.reason ?? 'Payment required',
      resource: isListed ? listedResource(resource, parts.site.settings().name) : resource,
      accepts,
      offers,
      extensions: {
        ...siwxExtension(parts, readUrl),
        ...identifierExtension,
        ...(isListed && bazaarExtension),
      },
    },
  )
  return paymentRequiredReply(required, tried?.payment)
}

const onlyNanoAway =
  'Payments in Nano are not possible at the moment, and nothing else is offered here. Send the same request again later.'

/** Adds a signature for each offer, if there are any. */
export function withSignedOffers(
  { secrets, issuedAt }: Pick<AccessServices, 'secrets'> & { readonly issuedAt: Date },
  required: Required,
): Required {
  const signed = offerExtension(secrets, issuedAt, required.resource.url, required.accepts)
  return signed ? { ...required, extensions: { ...required.extensions, ...signed } } : required
}

/** The header holds what x402 defines; `offers` is for clients that read the body. */
export function paymentRequiredReply(required: Required, failed?: PaymentRow) {
  const { header, body } = writePaymentRequired(required)
  return {
    status: 402 as const,
    headers: { 'payment-required': header, ...(failed && paymentResponse(failed)) },
    body,
  }
}

/** Refuses with a challenge: the post is not for sale, and only a wallet that bought it may see it. */
export function refuseUnlessProved(parts: Pick<AccessServices, 'secrets' | 'clock'>, resourceUrl: string): never {
  const extensions = siwxExtension(parts, resourceUrl)
  const required = {
    x402Version: 2,
    error: walletProofRequired.title,
    resource: resourceOf(resourceUrl, 'What a wallet bought'),
    accepts: [],
    extensions,
  }
  return refuse(walletProofRequired, { extensions }, { headers: { 'payment-required': base64Json(required) } })
}

/** The payment is in progress, and its outcome is not known yet. Nothing is offered, so that the payer does not sign again. */
export const paymentPendingReply = (resource: PaymentRequired['resource'], payment: PaymentRow) => ({
  status: 402 as const,
  headers: paymentResponse(payment),
  body: { x402Version: 2 as const, error: 'settlement_pending', resource, accepts: [], offers: [] },
})

// Titles may be long, and in scripts with four bytes per letter, and the header has no room for more.
const longestDescription = { characters: 160, bytes: 200 }

export const resourceOf = (url: string, description: string) => ({
  url,
  description: shortened(oneLine(description)),
  mimeType: 'application/json',
})

/** The description of a post in a 402, for a buyer or the person whom an agent asks: its title, and what it is about. */
export const describedPost = ({ title, description }: Pick<ReadingRow, 'title' | 'description'>): string =>
  description ? `${title}: ${description}` : title

function shortened(whole: string): string {
  const { characters: maxCharacters, bytes: maxBytes } = longestDescription
  // Most are short: a character has at least one of the units that `length` counts.
  if (whole.length <= maxCharacters && Buffer.byteLength(whole) <= maxBytes) return whole
  let characters = 0
  let bytes = 0
  let end = 0
  for (const character of whole) {
    characters += 1
    bytes += Buffer.byteLength(character)
    if (characters > maxCharacters || bytes > maxBytes) {
      return `${whole.slice(0, end).trimEnd()}…`
    }
    end += character.length
  }
  return whole
}

export const retryAfterSeconds = 2

/** `PAYMENT-RESPONSE` of a payment that is not settled, in x402's words. */
function paymentResponse(payment: PaymentRow): Record<string, string> {
  const { state, failure } = payment
  const shared = transferOf(payment)
  if (state === 'failed') return header({ success: false, errorReason: failure, ...shared })
  const pending = { success: false, errorReason: 'settlement_pending', ...shared }
  return { ...header(pending), 'retry-after': String(retryAfterSeconds) }
}

/** `PAYMENT-RESPONSE` of a settled payment: its receipt. */
export const settledResponse = (...of: Parameters<typeof receiptOf>) => header(receiptOf(...of))

/** The receipt of a settled payment, for the buyer. */
export const receiptOf = ({ secrets }: Pick<AccessServices, 'secrets'>, payment: Receipted, resourceUrl: string) => ({
  success: true as const,
  ...transferOf(payment),
  extensions: receiptExtension(secrets, payment, resourceUrl),
})

// A block's hash is known before it is published; a transaction that moves USDC is known once it is signed.
const transferOf = ({ network, payer, nonce, transaction }: Omit<Receipted, 'settled_at'>) => ({
  transaction: transaction ?? (railsByNetwork[network].isNamedByNonce ? nonce : ''),
  network,
  payer,
})

const header = (response: object) => ({ 'payment-response': base64Json(response) })
