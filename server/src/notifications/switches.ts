import {
  inAppSwitchOf,
  type NotificationKind,
  notificationKinds,
  switchOfKind,
} from '@pennypost/contract/notification-preferences'
import { type RawBuilder, sql } from 'kysely'

// SQL for the switch in preferences `p` that controls a kind. A kind that this version does not know counts as switched
// off.
const switchFor = (kind: string, columnOf: (kind: NotificationKind) => string): RawBuilder<boolean> =>
  sql.raw(
    `coalesce(CASE ${kind} ${notificationKinds.map((known) => `WHEN '${known}' THEN p.${columnOf(known)}`).join(' ')} END, false)`,
  )

/** @example sql`… WHERE ${emailSwitchFor('n.kind')}` */
export const emailSwitchFor = (kind: string): RawBuilder<boolean> => switchFor(kind, (known) => switchOfKind[known])
export const inAppSwitchFor = (kind: string): RawBuilder<boolean> => switchFor(kind, inAppSwitchOf)

export const listOfKinds = (kinds: readonly NotificationKind[]): RawBuilder<unknown> =>
  sql.raw(kinds.map((kind) => `'${kind}'`).join(', '))
