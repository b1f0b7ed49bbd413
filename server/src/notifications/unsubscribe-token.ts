import { createHmac, timingSafeEqual } from 'node:crypto'
import { type NotificationKind, switchOfKind } from '@pennypost/contract/notification-preferences'
import { Uuid } from '@pennypost/contract/schemas'
import type { Secrets } from '../platform/secrets.ts'

/** The account and the kind of email that a link unsubscribes from. */
export interface Unsubscription {
  readonly accountId: string
  readonly kind: NotificationKind
}

// The link works without signing in. It is signed, not stored, and valid while the account still has the address the
// email was sent to. After the address changes, links sent to the old one stop working.
const signature = (secrets: Secrets, { accountId, kind }: Unsubscription, address: string): Buffer =>
  createHmac('sha256', secrets.key('unsubscribe')).update(`${accountId} ${kind} ${address}`).digest().subarray(0, 18)

/** Parses a token without checking its signature. */
export function readUnsubscribeToken(token: string): (Unsubscription & { readonly mac: string }) | undefined {
  const [accountId = '', kind = '', mac = ''] = token.split('.')
  if (!Uuid.safeParse(accountId).success || !Object.hasOwn(switchOfKind, kind)) return undefined
  return { accountId, kind: kind as NotificationKind, mac }
}

/** Whether we signed the token for this address. */
export function isSignedFor(
  secrets: Secrets,
  { mac, ...unsubscription }: Unsubscription & { readonly mac: string },
  address: string,
): boolean {
  const given = Buffer.from(mac, 'base64url')
  const expected = signature(secrets, unsubscription, address)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export function unsubscribeUrl(
  origin: string,
  secrets: Secrets,
  unsubscription: Unsubscription,
  address: string,
): string {
  const { accountId, kind } = unsubscription
  const mac = signature(secrets, unsubscription, address).toString('base64url')
  return `${origin}/unsubscribe?token=${accountId}.${kind}.${mac}`
}
