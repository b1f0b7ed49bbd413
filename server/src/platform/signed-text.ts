import { createHmac, timingSafeEqual } from 'node:crypto'
import { generationsOf, type Secrets } from './secrets.ts'

// Text that clients carry for us, such as the position of the next page, with a MAC so that they cannot forge it.

const macBytes = 8

export function signText(secrets: Secrets, purpose: string, text: string): string {
  const bytes = Buffer.from(text)
  return Buffer.concat([macOf(secrets, purpose, bytes), bytes]).toString('base64url')
}

/** Returns undefined if we did not sign it, or signed it for another purpose. */
export function verifySignedText(secrets: Secrets, purpose: string, signed: string): string | undefined {
  const bytes = Buffer.from(signed, 'base64url')
  const [mac, text] = [bytes.subarray(0, macBytes), bytes.subarray(macBytes)]
  // Only the canonical encoding: base64url has several spellings of the same bytes.
  if (bytes.toString('base64url') !== signed || mac.length < macBytes) return undefined
  const isOurs = generationsOf(secrets).some((each) => timingSafeEqual(mac, macOf(each, purpose, text)))
  return isOurs ? text.toString() : undefined
}

const macOf = (secrets: Secrets, purpose: string, text: Buffer): Buffer =>
  createHmac('sha256', secrets.key(purpose)).update(text).digest().subarray(0, macBytes)
