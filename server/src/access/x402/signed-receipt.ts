import { type JsonWebKey, sign } from 'node:crypto'
import type { PaymentRow } from '../../payments/x402/payment-store.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type SigningKey, signingKey } from '../../platform/signing-key.ts'

// x402's `offer-receipt`: what a buyer can show to others, signed by this site. The key is no wallet, and moves no money.

const keys = new WeakMap<Secrets, SigningKey>()

function keyOf(secrets: Secrets): SigningKey {
  const known = keys.get(secrets) ?? signingKey(secrets.key('x402-receipt'))
  keys.set(secrets, known)
  return known
}

/** Who signs at this address: whoever answers there says with which key (`/.well-known/did.json`). */
const didOf = (origin: string): string => `did:web:${encodeURIComponent(new URL(origin).host)}`

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const schema = {
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
export function receiptExtension(
  secrets: Secrets,
  { network, payer, nonce, transaction, settled_at }: PaymentRow,
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
  return { 'offer-receipt': { info: { receipt: { format: 'jws' as const, signature } }, schema } }
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
