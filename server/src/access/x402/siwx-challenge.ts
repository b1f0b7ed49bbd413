import { createHmac, timingSafeEqual } from 'node:crypto'
import { randomBytesAhead } from '../../platform/random-bytes-ahead.ts'
import { generationsOf, type Secrets } from '../../platform/secrets.ts'
import type { AccessServices } from '../services.ts'

// x402's `sign-in-with-x`: a wallet that paid before signs a challenge instead of paying again.

export const siwxChainId = 'eip155:8453'

/** The exact resource that a wallet signs to read. */
export const readUri = (resourceUrl: string): string => `${resourceUrl}?siwx=read`

const text = { type: 'string' }
const uri = { type: 'string', format: 'uri' }
const dateTime = { type: 'string', format: 'date-time' }
const required = ['domain', 'address', 'uri', 'version', 'chainId', 'type', 'nonce', 'issuedAt', 'signature']

/** What `SIGN-IN-WITH-X` contains, as the extension defines it. */
export const siwxSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    domain: text,
    address: text,
    statement: text,
    uri,
    version: text,
    chainId: text,
    type: text,
    nonce: text,
    issuedAt: dateTime,
    expirationTime: dateTime,
    notBefore: dateTime,
    requestId: text,
    resources: { type: 'array', items: uri },
    signature: text,
  },
  required,
}

/** A shorter schema, for a header that would be too long otherwise. */
export const shortSiwxSchema = { type: 'object', required }

/** The challenge for a resource. */
export function siwxExtension({ secrets, clock }: Pick<AccessServices, 'secrets' | 'clock'>, resourceUrl: string) {
  const readAt = readUri(resourceUrl)
  const now = clock.now()
  return {
    'sign-in-with-x': {
      info: {
        domain: new URL(resourceUrl).host,
        uri: readAt,
        version: '1',
        nonce: writeNonce(secrets, readAt, now),
        issuedAt: now.toISOString(),
        expirationTime: new Date(now.getTime() + nonceSeconds * 1000).toISOString(),
        statement: 'Read what this wallet paid for.',
      },
      supportedChains: [{ chainId: siwxChainId, type: 'eip191' }],
      schema: siwxSchema,
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
  const head = Buffer.concat([Buffer.alloc(5), randomBytesAhead(11)])
  // Rounded up to the next second, so that it is valid for as long as the challenge says.
  head.writeUIntBE(Math.ceil(now.getTime() / 1000), 0, 5)
  return Buffer.concat([head, nonceSealOf(secrets, uri, head)]).toString('hex')
}

/** When a nonce expires. Returns undefined if we did not issue it for this resource, or it has expired. */
export function nonceEnd(secrets: Secrets, uri: string, nonce: string, now: Date): Date | undefined {
  const bytes = Buffer.from(nonce, 'hex')
  if (bytes.length !== nonceHeadBytes + nonceSealBytes || bytes.toString('hex') !== nonce) return undefined
  const head = bytes.subarray(0, nonceHeadBytes)
  const seal = bytes.subarray(nonceHeadBytes)
  if (!generationsOf(secrets).some((each) => timingSafeEqual(seal, nonceSealOf(each, uri, head)))) return undefined
  const end = new Date((head.readUIntBE(0, 5) + nonceSeconds) * 1000)
  return end > now ? end : undefined
}
