import { createHmac, timingSafeEqual } from 'node:crypto'
import { type NotificationKind, switchOfKind } from '@pennypost/contract/notification-preferences'
import type { Secrets } from '../platform/secrets.ts'

/** Whose mail of which kind a link stops. */
export interface Unsubscription {
  readonly accountId: string
  readonly kind: NotificationKind
}

// The link is the permission: it is signed, not stored, and stays good as long as the mail is kept.
const signature = (secrets: Secrets, { accountId, kind }: Unsubscription): Buffer =>
  createHmac('sha256', secrets.key('unsubscribe')).update(`${accountId} ${kind}`).digest().subarray(0, 18)

export const unsubscribeToken = (secrets: Secrets, unsubscription: Unsubscription): string =>
  `${unsubscription.accountId}.${unsubscription.kind}.${signature(secrets, unsubscription).toString('base64url')}`

export function readUnsubscribeToken(secrets: Secrets, token: string): Unsubscription | undefined {
  const [accountId = '', kind = '', mac = ''] = token.split('.')
  if (!Object.hasOwn(switchOfKind, kind)) return undefined
  const unsubscription = { accountId, kind: kind as NotificationKind }
  const given = Buffer.from(mac, 'base64url')
  const expected = signature(secrets, unsubscription)
  return given.length === expected.length && timingSafeEqual(given, expected) ? unsubscription : undefined
}

export const unsubscribeUrl = (origin: string, secrets: Secrets, unsubscription: Unsubscription): string =>
  `${origin}/unsubscribe?token=${unsubscribeToken(secrets, unsubscription)}`
