import {
  inAppSwitchOf,
  type NotificationKind,
  type NotificationPreferences,
} from '@pennypost/contract/notification-preferences'
import type pg from 'pg'
import { readCounts } from './feed-store.ts'
import { readPreferences } from './preference-store.ts'

/** Counts an account's notifications. Kinds that are switched off now are counted only with `includeAll`. */
export async function countNotifications(pool: pg.Pool, accountId: string, includeAll: boolean) {
  const [switches, counts] = await Promise.all([readPreferences(pool, accountId), readCounts(pool, accountId)])
  const shown = includeAll ? counts : counts.filter(({ kind }) => !isOff(switches, kind))
  return {
    switches,
    counts,
    shown,
    total: shown.reduce((sum, count) => sum + count.total, 0),
    unread: shown.reduce((sum, count) => sum + count.unread, 0),
  }
}

/** Whether a kind is switched off in the feed. A kind without a switch is off only when the whole feed is. */
export const isOff = (switches: NotificationPreferences, kind: string): boolean =>
  !switches.in_app_notifications || switches[inAppSwitchOf(kind as NotificationKind)] === false
