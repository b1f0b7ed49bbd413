import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../../platform/secrets.ts'

// A nonce that we signed for one resource: issuing it writes nothing, using it burns it.

const headBytes = 5 + 11
const sealBytes = 12
export const nonceSeconds = 300

const sealOf = (secrets: Secrets, uri: string, head: Buffer): Buffer =>
  createHmac('sha256', secrets.key('siwx-read')).update(head).update(uri).digest().subarray(0, sealBytes)

export function writeNonce(secrets: Secrets, uri: string, now: Date): string {
  const head = Buffer.concat([Buffer.alloc(5), randomBytes(11)])
  // Up to the next second: it is good for as long as the challenge says.
  head.writeUIntBE(Math.ceil(now.getTime() / 1000), 0, 5)
  return Buffer.concat([head, sealOf(secrets, uri, head)]).toString('hex')
}

/** When a nonce is over; undefined where we never made it for this resource, or it is over already. */
export function nonceEnd(secrets: Secrets, uri: string, nonce: string, now: Date): Date | undefined {
  const bytes = Buffer.from(nonce, 'hex')
  if (bytes.length !== headBytes + sealBytes || bytes.toString('hex') !== nonce) return undefined
  const head = bytes.subarray(0, headBytes)
  if (!timingSafeEqual(bytes.subarray(headBytes), sealOf(secrets, uri, head))) return undefined
  const end = new Date((head.readUIntBE(0, 5) + nonceSeconds) * 1000)
  return end > now ? end : undefined
}
