import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../../platform/secrets.ts'

// A nonce is sealed for one resource. Issuing it writes nothing; using it stores it, so that it works once.

const headBytes = 5 + 11
const sealBytes = 12
export const nonceSeconds = 300

const sealOf = (secrets: Secrets, uri: string, head: Buffer): Buffer =>
  createHmac('sha256', secrets.key('siwx-read')).update(head).update(uri).digest().subarray(0, sealBytes)

export function writeNonce(secrets: Secrets, uri: string, now: Date): string {
  const head = Buffer.concat([Buffer.alloc(5), randomBytes(11)])
  // Rounded up to the next second, so that it is good for as long as the challenge says.
  head.writeUIntBE(Math.ceil(now.getTime() / 1000), 0, 5)
  return Buffer.concat([head, sealOf(secrets, uri, head)]).toString('hex')
}

/** When a nonce expires. Undefined: we did not issue it for this resource, or it has expired. */
export function nonceEnd(secrets: Secrets, uri: string, nonce: string, now: Date): Date | undefined {
  const bytes = Buffer.from(nonce, 'hex')
  if (bytes.length !== headBytes + sealBytes || bytes.toString('hex') !== nonce) return undefined
  const head = bytes.subarray(0, headBytes)
  if (!timingSafeEqual(bytes.subarray(headBytes), sealOf(secrets, uri, head))) return undefined
  const end = new Date((head.readUIntBE(0, 5) + nonceSeconds) * 1000)
  return end > now ? end : undefined
}
