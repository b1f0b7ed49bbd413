import type { Follow } from '@pennypost/contract/follows'
import type { FollowRow } from './follow-store.ts'

export const followPreferencesView = (row: FollowRow) => ({
  notify_new_posts: row.notify_new_posts,
  notify_channel_email: row.notify_channel_email,
  notify_channel_inapp: row.notify_channel_inapp,
})

export const followView = (row: FollowRow): Follow => ({
  id: row.id,
  creator_id: row.creator_id,
  follower_id: row.follower_id,
  created_at: row.created_at.toISOString(),
  ...followPreferencesView(row),
})
