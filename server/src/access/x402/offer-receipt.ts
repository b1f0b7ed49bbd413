import { type JsonWebKey, sign } from 'node:crypto'
import type { PaymentRequirements } from '@pennypost/contract/x402'
import { LRUCache } from 'lru-cache'
import type { PaymentRow } from '../../payments/x402/payment-store.ts'
import { generationsOf, type Secrets } from '../../platform/secrets.ts'
import { type SigningKey, signingKey } from '../../platform/signing-key.ts'
import { railsByNetwork } from '../../rails/rails.ts'

// x402's `offer-receipt`: signed documents that a buyer can show to others. An offer says what we asked for, a receipt says
// that we got it. The key is not a wallet and cannot move money.

const keys = new WeakMap<Secrets, SigningKey>()

function keyOf(secrets: Secrets): SigningKey {
  const known = keys.get(secrets) ?? signingKey(secrets.key('x402-receipt'))
  keys.set(secrets, known)
  return known
}

/** The identity that signs at this origin. Its key is at `/.well-known/did.json`. */
const didOf = (origin: string): string => `did:web:${encodeURIComponent(new URL(origin).host)}`

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

// An offer in USDC is the same for everyone who asks within a second, and signing the same text gives the same signature. One with
// an address of its own is signed once, and would only take the place of another.
const signatures = new LRUCache<string, string>({ max: 200 })

const headers = new WeakMap<SigningKey, LRUCache<string, string>>()

/** The same for every offer of a resource. */
function headerOf(key: SigningKey, resourceUrl: string): string {
  const known = headers.get(key) ?? new LRUCache<string, string>({ max: 200 })
  headers.set(key, known)
  const header = known.get(resourceUrl) ?? base64url({ alg: 'EdDSA', kid: `${didOf(resourceUrl)}#${key.keyId}` })
  known.set(resourceUrl, header)
  return header
}

/**
 * Signs for the origin of a resource: compact JWS. The fields of a payload are in alphabetical order, as canonical JSON
 * requires.
 */
function signerFor(secrets: Secrets, resourceUrl: string): (payload: object, isUnique?: boolean) => string {
  const key = keyOf(secrets)
  const { privateKey } = key
  const header = headerOf(key, resourceUrl)
  return (payload, isUnique = false) => {
    const text = `${header}.${base64url(payload)}`
    // The header names the key.
    const known = isUnique ? undefined : signatures.get(text)
    if (known !== undefined) return `${text}.${known}`
    const signature = sign(null, Buffer.from(text), privateKey).toString('base64url')
    if (!isUnique) signatures.set(text, signature)
    return `${text}.${signature}`
  }
}

const schemaOf = (name: string, field: object) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { [name]: field },
  required: [name],
})

const signedObject = {
  type: 'object',
  properties: { format: { const: 'jws' }, signature: { type: 'string' } },
  required: ['format', 'signature'],
}

/** A signed offer on the wire. `acceptIndex` says which entry of `accepts` it is. */
interface SignedOffer {
  readonly format: 'jws'
  readonly acceptIndex: number
  readonly signature: string
}

export interface OfferExtension {
  readonly 'offer-receipt': { readonly info: { readonly offers: readonly SignedOffer[] }; readonly schema: object }
}

const offersSchema = schemaOf('offers', { type: 'array', items: signedObject })

/** Each offer of a 402, signed. Undefined if it offers nothing. */
export function offerExtension(
  secrets: Secrets,
  issuedAt: Date,
  resourceUrl: string,
  accepts: readonly PaymentRequirements[],
): OfferExtension | undefined {
  if (accepts.length === 0) return undefined
  const signed = signerFor(secrets, resourceUrl)
  const offers = accepts.map(({ amount, asset, network, payTo, scheme, maxTimeoutSeconds }, acceptIndex) => {
    // Rounded down: the offer itself was made a moment earlier.
    const validUntil = Math.floor(issuedAt.getTime() / 1000) + maxTimeoutSeconds
    const payload = { amount, asset, network, payTo, resourceUrl, scheme, validUntil, version: 1 }
    return { format: 'jws' as const, acceptIndex, signature: signed(payload, railsByNetwork[network].isCustodial) }
  })
  return { 'offer-receipt': { info: { offers }, schema: offersSchema } }
}

/** The fields of a payment that a receipt contains. */
export type Receipted = Pick<PaymentRow, 'network' | 'payer' | 'nonce' | 'transaction' | 'settled_at'>

const receiptSchema = schemaOf('receipt', signedObject)

/** A signed receipt for a payment for this resource. It is the same on every request. */
export function receiptExtension(
  secrets: Secrets,
  { network, payer, nonce, transaction, settled_at }: Receipted,
  resourceUrl: string,
) {
  const signed = signerFor(secrets, resourceUrl)
  const signature = signed({
    issuedAt: Math.floor(settled_at!.getTime() / 1000),
    network,
    payer,
    resourceUrl,
    transaction: transaction ?? nonce,
    version: 1,
  })
  return { 'offer-receipt': { info: { receipt: { format: 'jws' as const, signature } }, schema: receiptSchema } }
}

/** The DID document with the public keys that verify this origin's offers and receipts. */
export function didDocument(secrets: Secrets, origin: string) {
  const id = didOf(origin)
  const keysOf = generationsOf(secrets).map((each) => {
    const { publicKey, keyId } = keyOf(each)
    const publicKeyJwk: JsonWebKey = publicKey.export({ format: 'jwk' })
    return { id: `${id}#${keyId}`, type: 'JsonWebKey2020', controller: id, publicKeyJwk }
  })
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id,
    verificationMethod: keysOf,
    assertionMethod: keysOf.map((key) => key.id),
  }
}
