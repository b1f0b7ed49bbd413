import {
  inAppSwitchOf,
  legacyKinds,
  type NotificationKind,
  type NotificationPreferences,
  notificationKinds,
} from '@pennypost/contract/notification-preferences'
import type { listNotifications as declared, Notification } from '@pennypost/contract/notifications'
import type { Handler } from '../services.ts'
import { type FeedRow, listFeed, readCounts } from './feed-store.ts'
import { readPreferences } from './preference-store.ts'

export const listNotifications: Handler<typeof declared> = async ({ pool }, { caller, query, origin }) => {
  const { limit, offset, includeAll } = query
  const isLegacy = query.preferenceSchema !== '2'
  // Most people have every kind on and look at the first page: it is asked for before we know.
  const [switches, counts, firstOfAll] = await Promise.all([
    readPreferences(pool, caller.accountId),
    readCounts(pool, caller.accountId),
    offset === 0 ? listFeed(pool, caller.accountId, { limit, offset, kinds: 'all' }) : undefined,
  ])
  const shown = includeAll ? counts : counts.filter(({ kind }) => !isOff(switches, kind))
  const total = shown.reduce((sum, count) => sum + count.total, 0)
  const unread = shown.reduce((sum, count) => sum + count.unread, 0)
  const kinds = shown.length === counts.length ? 'all' : shown.map(({ kind }) => kind)
  const readPage = () => listFeed(pool, caller.accountId, { limit, offset, kinds })
  const known = kinds === 'all' ? firstOfAll : undefined
  // Beyond the end there is nothing to look for.
  const rows = known ?? (offset < total ? await readPage() : [])
  return {
    status: 200,
    body: {
      notifications: rows.map((row) => notificationView(row, isLegacy, origin)),
      total,
      unread,
      preferences: Object.fromEntries(
        (isLegacy ? legacyKinds : notificationKinds).map((kind) => [kind, !isOff(switches, kind)]),
      ),
      pagination: { limit, offset, total, hasMore: offset + rows.length < total },
      includeAll,
    },
  }
}

/** Whether the feed is no longer told of a kind. A kind without a switch cannot be switched off. */
const isOff = (switches: NotificationPreferences, kind: string): boolean =>
  !switches.in_app_notifications || switches[inAppSwitchOf(kind as NotificationKind)] === false

const notificationView = (row: FeedRow, isLegacy: boolean, origin: string): Notification => ({
  id: row.id,
  kind: isLegacy && row.kind === 'comment_mention' ? 'new_comment' : row.kind,
  created_at: row.created_at.toISOString(),
  read_at: row.read_at?.toISOString() ?? null,
  post_id: row.post_id,
  purchase_id: row.purchase_id,
  comment_id: row.comment_id,
  follower_id: row.follower_id,
  actor:
    row.actor_id === null
      ? null
      : {
          id: row.actor_id,
          handle: row.actor_handle,
          name: row.actor_name,
          avatarUrl: row.actor_avatar && origin + row.actor_avatar,
          authorKind: row.actor_kind,
        },
  title: row.title,
  body: row.body,
  url: row.url,
})
