import {
  inAppSwitchOf,
  type NotificationKind,
  type NotificationPreferences,
} from '@pennypost/contract/notification-preferences'
import type pg from 'pg'
import { readCounts } from './feed-store.ts'
import { readPreferences } from './preference-store.ts'

/** How many notifications somebody has. Those of kinds that are switched off now count only where all are asked for. */
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

/** Whether the feed is no longer told of a kind. A kind without a switch cannot be switched off. */
export const isOff = (switches: NotificationPreferences, kind: string): boolean =>
  !switches.in_app_notifications || switches[inAppSwitchOf(kind as NotificationKind)] === false
