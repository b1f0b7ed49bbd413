import { createHmac, timingSafeEqual } from 'node:crypto'
import { Uuid } from '@pennypost/contract/schemas'
import type { Secrets } from '../platform/secrets.ts'

// Links in emails work without signing in. They are signed, not stored: the id of a subscription is random and belongs to one
// mailbox, so nothing else has to be in them.

type LinkPurpose = 'confirm' | 'unsubscribe'

const macOf = (secrets: Secrets, purpose: LinkPurpose | 'bounce', subscriberId: string): Buffer =>
  createHmac('sha256', secrets.key('subscription')).update(`${purpose} ${subscriberId}`).digest()

const linkMac = (secrets: Secrets, purpose: LinkPurpose, subscriberId: string): Buffer =>
  macOf(secrets, purpose, subscriberId).subarray(0, 18)

export const subscriptionUrl = (origin: string, secrets: Secrets, purpose: LinkPurpose, subscriberId: string): string =>
  `${origin}/subscriptions/${purpose}?token=${subscriberId}.${linkMac(secrets, purpose, subscriberId).toString('base64url')}`

/** The subscription that a link is for. Undefined if we did not sign it. */
export function readSubscriptionToken(secrets: Secrets, purpose: LinkPurpose, token: string): string | undefined {
  const [id = '', mac = ''] = token.split('.')
  const given = Buffer.from(mac, 'base64url')
  return Uuid.safeParse(id).success && isEqual(given, linkMac(secrets, purpose, id)) ? id : undefined
}

// In hexadecimal, because mail servers may change the case of an address, and short: 64 characters are allowed before the @.
const bounceMac = (secrets: Secrets, subscriberId: string): Buffer =>
  macOf(secrets, 'bounce', subscriberId).subarray(0, 8)

/** The return address of one subscriber's emails. An email that comes back to it shows whose address does not work. */
export function returnPath(bounceAddress: string, secrets: Secrets, subscriberId: string): string {
  const [name, domain] = bounceAddress.split('@')
  const token = subscriberId.replaceAll('-', '') + bounceMac(secrets, subscriberId).toString('hex')
  return `${name}+${token}@${domain}`
}

/** The subscription whose return address is in this message. */
export function readReturnPath(secrets: Secrets, message: string): string | undefined {
  for (const [, hex = '', mac = ''] of message.matchAll(/\+([0-9a-f]{32})([0-9a-f]{16})@/gi)) {
    const id = hex.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    if (isEqual(Buffer.from(mac, 'hex'), bounceMac(secrets, id))) return id
  }
  return undefined
}

const isEqual = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected)
