import { legacyKinds, notificationKinds } from '@pennypost/contract/notification-preferences'
import type { listNotifications as declared, Notification } from '@pennypost/contract/notifications'
import { countNotifications, isOff } from './count-notifications.ts'
import { type FeedRow, listFeed } from './feed-store.ts'
import type { Handler } from './services.ts'

export const listNotifications: Handler<typeof declared> = async ({ pool }, { caller, query, origin }) => {
  const { limit, offset, includeAll } = query
  const isLegacy = query.preferenceSchema !== '2'
  // Most people have every kind on and read the first page, so we start that query before we know their switches.
  const [{ counts, shown, switches, total, unread }, firstOfAll] = await Promise.all([
    countNotifications(pool, caller.accountId, includeAll),
    offset === 0 ? listFeed(pool, caller.accountId, { limit, offset, kinds: 'all' }) : undefined,
  ])
  const kinds = shown.length === counts.length ? 'all' : shown.map(({ kind }) => kind)
  const readPage = () => listFeed(pool, caller.accountId, { limit, offset, kinds })
  const known = kinds === 'all' ? firstOfAll : undefined
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
