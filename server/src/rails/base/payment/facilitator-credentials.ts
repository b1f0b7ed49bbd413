import { createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import { signingKey } from '../../../platform/signing-key.ts'

/** How we authenticate at a remote facilitator: the same header with every request, or a token signed for each. */
export type FacilitatorCredentials =
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'cdp-key'; readonly id: string; readonly key: KeyObject }

/** The headers that authenticate one request. */
export function credentialHeaders(
  credentials: FacilitatorCredentials | undefined,
  url: URL,
  now: Date,
  method: 'GET' | 'POST' = 'POST',
): Record<string, string> {
  if (!credentials) return {}
  if (credentials.kind === 'header') return { [credentials.name]: credentials.value }
  return { authorization: `Bearer ${cdpToken(credentials, { method, url }, now)}` }
}

const tokenSeconds = 120

/** A JWT as the Coinbase Developer Platform wants it: valid for two minutes, and for this one URL. */
function cdpToken(
  { id, key }: { id: string; key: KeyObject },
  { method, url: { host, pathname } }: { method: string; url: URL },
  now: Date,
): string {
  const isEd25519 = key.asymmetricKeyType === 'ed25519'
  const issuedAt = Math.floor(now.getTime() / 1000)
  const header = { alg: isEd25519 ? 'EdDSA' : 'ES256', kid: id, typ: 'JWT', nonce: randomBytes(16).toString('hex') }
  const claims = {
    sub: id,
    iss: 'cdp',
    aud: ['cdp_service'],
    uris: [`${method} ${host}${pathname}`],
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + tokenSeconds,
  }
  const signed = `${base64url(header)}.${base64url(claims)}`
  // A JWT holds the two numbers of an ECDSA signature as they are, not in DER.
  const signature = isEd25519
    ? sign(null, Buffer.from(signed), key)
    : sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Reads the secret of a CDP API key: 64 bytes in base64 (an Ed25519 seed, then its public key), or a P-256 key as PEM, whose
 * line breaks may be written as `\n`. Returns undefined for anything else.
 */
export function parseCdpKey(text: string): KeyObject | undefined {
  if (!text.includes('-----BEGIN')) return parseEd25519Key(text.trim())
  try {
    const key = createPrivateKey(text.replaceAll('\\n', '\n'))
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}

function parseEd25519Key(base64: string): KeyObject | undefined {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length !== 64) return undefined
  const { privateKey, publicKey } = signingKey(bytes.subarray(0, 32))
  // The second half is known from the first, so it shows whether the secret was copied correctly.
  return publicKey.export({ format: 'jwk' }).x === bytes.toString('base64url', 32) ? privateKey : undefined
}
