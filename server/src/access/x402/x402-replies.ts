import { createHmac, type JsonWebKey, randomBytes, sign, timingSafeEqual } from 'node:crypto'
import { walletProofRequired } from '@pennypost/contract/access'
import type { PaymentRequired } from '@pennypost/contract/x402'
import type { PaymentRow } from '../../payments/x402/payment-store.ts'
import { type OfferParts, requirementsOf } from '../../payments/x402/x402-offer.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type SigningKey, signingKey } from '../../platform/signing-key.ts'
import { accessUrl, type PricingParts, priceTerms } from '../../posts/post-view.ts'
import { offersOf } from '../../posts/pricing.ts'
import { railsByNetwork } from '../../rails/rails.ts'
import type { ReadingRow } from '../may-read.ts'
import type { AccessServices } from '../services.ts'
import { bazaarExtension, listedResource } from './bazaar.ts'

// Titles may be long, and in scripts with four bytes per letter; the header has to pass proxies that accept 4 KB.
const longestDescription = 100

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

/** The 402 of a post: what it costs, as new x402 offers. */
export function postPaymentRequired(
  parts: OfferParts & PricingParts & Pick<AccessServices, 'config' | 'site'>,
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
  const resource = resourceOf(accessUrl(origin, post.id), post.title)
  const isListed = parts.config.bazaar
  return paymentRequiredReply(
    {
      x402Version: 2,
      error: tried.reason,
      resource: isListed ? listedResource(resource, parts.site.settings().name) : resource,
      accepts: requirementsOf(parts, subject, offers),
      offers,
      extensions: {
        ...siwxExtension(parts, readUrl),
        ...identifierExtension,
        ...(isListed && bazaarExtension),
      },
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

/** There is nothing to see, or to pay, unless a wallet proves that it bought it. */
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

export const resourceOf = (url: string, title: string) => ({
  url,
  description: [...title].slice(0, longestDescription).join(''),
  mimeType: 'application/json',
})

export const retryAfterSeconds = 2

/** `PAYMENT-RESPONSE` of a payment that is not settled, in x402's words. */
function paymentResponse(payment: PaymentRow): Record<string, string> {
  const { state, failure } = payment
  const shared = moved(payment)
  if (state === 'failed') return header({ success: false, errorReason: failure, ...shared })
  const pending = { success: false, errorReason: 'settlement_pending', ...shared }
  return { ...header(pending), 'retry-after': String(retryAfterSeconds) }
}

/** `PAYMENT-RESPONSE` of a settled payment: its receipt. */
export const settledResponse = (...of: Parameters<typeof receiptOf>) => header(receiptOf(...of))

/** What a receipt says of a payment. */
type Receipted = Pick<PaymentRow, 'network' | 'payer' | 'nonce' | 'transaction' | 'settled_at'>

/** What a buyer keeps of a settled payment. */
export const receiptOf = ({ secrets }: Pick<AccessServices, 'secrets'>, payment: Receipted, resourceUrl: string) => ({
  success: true as const,
  ...moved(payment),
  extensions: receiptExtension(secrets, payment, resourceUrl),
})

// A block's hash is known before it is published; a transaction that moves USDC is known once it is signed.
const moved = ({ network, payer, nonce, transaction }: Omit<Receipted, 'settled_at'>) => ({
  transaction: transaction ?? (railsByNetwork[network].isNamedByNonce ? nonce : ''),
  network,
  payer,
})

const base64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

const header = (response: object) => ({ 'payment-response': base64Json(response) })

// x402's `offer-receipt`: what a buyer can show to others, signed by this site. The key is no wallet, and moves no money.

const keys = new WeakMap<Secrets, SigningKey>()

function keyOf(secrets: Secrets): SigningKey {
  const known = keys.get(secrets) ?? signingKey(secrets.key('x402-receipt'))
  keys.set(secrets, known)
  return known
}

/** The identity that signs receipts at this origin. Its key is at `/.well-known/did.json`. */
const didOf = (origin: string): string => `did:web:${encodeURIComponent(new URL(origin).host)}`

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const receiptSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    receipt: {
      type: 'object',
      properties: { format: { const: 'jws' }, signature: { type: 'string' } },
      required: ['format', 'signature'],
    },
  },
  required: ['receipt'],
}

/** That this payment was made for this resource. The same one whenever it is asked for. */
function receiptExtension(
  secrets: Secrets,
  { network, payer, nonce, transaction, settled_at }: Receipted,
  resourceUrl: string,
) {
  const { privateKey, keyId } = keyOf(secrets)
  const header = { alg: 'EdDSA', kid: `${didOf(resourceUrl)}#${keyId}` }
  // In the order of the alphabet, as the canonical form of JSON wants it.
  const payload = {
    issuedAt: Math.floor(settled_at!.getTime() / 1000),
    network,
    payer,
    resourceUrl,
    transaction: transaction ?? nonce,
    version: 1,
  }
  const signed = `${base64url(header)}.${base64url(payload)}`
  const signature = `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
  return { 'offer-receipt': { info: { receipt: { format: 'jws' as const, signature } }, schema: receiptSchema } }
}

/** With what receipts of this address are checked. */
export function didDocument(secrets: Secrets, origin: string) {
  const { publicKey, keyId } = keyOf(secrets)
  const id = didOf(origin)
  const key = `${id}#${keyId}`
  const publicKeyJwk: JsonWebKey = publicKey.export({ format: 'jwk' })
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id,
    verificationMethod: [{ id: key, type: 'JsonWebKey2020', controller: id, publicKeyJwk }],
    assertionMethod: [key],
  }
}

export const siwxChainId = 'eip155:8453'

/** The exact resource that a wallet signs to read. */
export const readUri = (resourceUrl: string): string => `${resourceUrl}?siwx=read`

/** The challenge: a wallet that paid before signs it instead of paying again. */
export function siwxExtension({ secrets, clock }: Pick<AccessServices, 'secrets' | 'clock'>, resourceUrl: string) {
  const uri = readUri(resourceUrl)
  const now = clock.now()
  return {
    'sign-in-with-x': {
      info: {
        domain: new URL(resourceUrl).host,
        uri,
        version: '1',
        nonce: writeNonce(secrets, uri, now),
        issuedAt: now.toISOString(),
        expirationTime: new Date(now.getTime() + nonceSeconds * 1000).toISOString(),
        statement: 'Read what this wallet paid for.',
      },
      supportedChains: [{ chainId: siwxChainId, type: 'eip191' }],
      schema: { type: 'object', required: ['address', 'chainId', 'type', 'signature'] },
    },
  }
}

// A nonce is sealed for one resource. Issuing it writes nothing; using it stores it, so that it works once.

const nonceHeadBytes = 5 + 11
const nonceSealBytes = 12
const nonceSeconds = 300

const nonceSealOf = (secrets: Secrets, uri: string, head: Buffer): Buffer =>
  createHmac('sha256', secrets.key('siwx-read')).update(head).update(uri).digest().subarray(0, nonceSealBytes)

export function writeNonce(secrets: Secrets, uri: string, now: Date): string {
  const head = Buffer.concat([Buffer.alloc(5), randomBytes(11)])
  // Rounded up to the next second, so that it is valid for as long as the challenge says.
  head.writeUIntBE(Math.ceil(now.getTime() / 1000), 0, 5)
  return Buffer.concat([head, nonceSealOf(secrets, uri, head)]).toString('hex')
}

/** When a nonce expires. Returns undefined if we did not issue it for this resource, or it has expired. */
export function nonceEnd(secrets: Secrets, uri: string, nonce: string, now: Date): Date | undefined {
  const bytes = Buffer.from(nonce, 'hex')
  if (bytes.length !== nonceHeadBytes + nonceSealBytes || bytes.toString('hex') !== nonce) return undefined
  const head = bytes.subarray(0, nonceHeadBytes)
  if (!timingSafeEqual(bytes.subarray(nonceHeadBytes), nonceSealOf(secrets, uri, head))) return undefined
  const end = new Date((head.readUIntBE(0, 5) + nonceSeconds) * 1000)
  return end > now ? end : undefined
}
