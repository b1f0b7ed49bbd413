import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secrets } from './secrets.ts'

// Texts that clients carry for us, such as where the next page begins. What we did not write does not open.

const macBytes = 8

export function signText(secrets: Secrets, purpose: string, text: string): string {
  const bytes = Buffer.from(text)
  return Buffer.concat([macOf(secrets, purpose, bytes), bytes]).toString('base64url')
}

/** Undefined: not one of ours, or sealed for another purpose. */
export function verifySignedText(secrets: Secrets, purpose: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  const [mac, text] = [bytes.subarray(0, macBytes), bytes.subarray(macBytes)]
  // Spelled as we spell it: another spelling of the same bytes is somebody else's.
  if (bytes.toString('base64url') !== sealed || mac.length < macBytes) return undefined
  return timingSafeEqual(mac, macOf(secrets, purpose, text)) ? text.toString() : undefined
}

const macOf = (secrets: Secrets, purpose: string, text: Buffer): Buffer =>
  createHmac('sha256', secrets.key(purpose)).update(text).digest().subarray(0, macBytes)
