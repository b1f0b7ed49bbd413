import { preferenceKeys } from '@pennypost/contract/notification-preferences'
import type pg from 'pg'

const preferences = preferenceKeys.map((key) => `'${key}', pref.${key}`).join(', ')

// `json`, because it keeps the order of its keys.
const account = `SELECT json_build_object(
    'id', a.id, 'name', a.name, 'handle', a.handle, 'authorKind', a.author_kind, 'createdAt', a.created_at,
    'email', a.email, 'emailConfirmedAt', a.email_confirmed_at,
    'emailChange', (SELECT json_build_object('email', c.email, 'requestedAt', c.requested_at)
      FROM email_changes c WHERE c.account_id = a.id),
    'earlierHandles', (SELECT coalesce(json_agg(f.handle ORDER BY f.released_at), '[]')
      FROM former_handles f WHERE f.account_id = a.id),
    'profile', json_build_object('bio', p.bio, 'location', p.location, 'socialLinks', p.social_links,
      'pinnedPostId', p.pinned_post_id, 'tipLabel', p.tip_label, 'tipAmounts', p.tip_amounts),
    'receivingAddresses', (SELECT coalesce(json_agg(json_build_object('rail', r.rail, 'address', r.address,
      'updatedAt', r.updated_at) ORDER BY r.rail), '[]') FROM receiving_addresses r WHERE r.account_id = a.id),
    'wallets', (SELECT coalesce(json_agg(json_build_object('kind', w.kind, 'address', w.address, 'linkedAt', w.linked_at)
      ORDER BY w.linked_at, w.address), '[]') FROM wallets w WHERE w.account_id = a.id),
    'privateFeedCreatedAt', (SELECT feed.created_at FROM private_feeds feed WHERE feed.account_id = a.id),
    'followers', coalesce(figures.follower_count, 0), 'following', coalesce(figures.following_count, 0),
    'notificationSettings', json_build_object(PREFERENCES)
  ) AS account
  FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id
    LEFT JOIN account_figures figures ON figures.account_id = a.id
    LEFT JOIN notification_preferences pref ON pref.account_id = a.id
  WHERE a.id = $1`

/** The account itself: profile, email, wallets, addresses and settings. */
export async function accountFile(pool: pg.Pool, accountId: string): Promise<string> {
  const text = account.replace('PREFERENCES', preferences)
  const { rows } = await pool.query<{ account: unknown }>(text, [accountId])
  return `${JSON.stringify(rows[0]?.account ?? null, null, 2)}\n`
}
