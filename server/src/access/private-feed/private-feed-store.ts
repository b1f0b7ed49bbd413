import type { Selectable } from 'kysely'
import type pg from 'pg'
import { type Db, readRows, type Statement } from '../../platform/database/database.ts'
import { type PublicPostRow, publicPostColumns, publicPostJoins } from '../../posts/catalog/public-post.ts'
import { boughtByAccount } from '../may-read.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    private_feeds: PrivateFeedTable
  }
}

interface PrivateFeedTable {
  account_id: string
  token_hash: Buffer
  created_at: Date
}

export type PrivateFeedRow = Selectable<PrivateFeedTable>

export const findPrivateFeed = (db: Db, accountId: string): Promise<PrivateFeedRow | undefined> =>
  db.selectFrom('private_feeds').selectAll().where('account_id', '=', accountId).executeTakeFirst()

/** An account has one feed URL: a new one replaces the old one. */
export const savePrivateFeed = (db: Db, feed: PrivateFeedRow): Promise<unknown> =>
  db
    .insertInto('private_feeds')
    .values(feed)
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({ token_hash: feed.token_hash, created_at: feed.created_at }),
    )
    .execute()

export const removePrivateFeed = (db: Db, accountId: string): Promise<unknown> =>
  db.deleteFrom('private_feeds').where('account_id', '=', accountId).execute()

/** Undefined for a suspended account: it cannot sign in, so its feed is closed too. */
const ownerOfFeed: Statement<{ id: string; name: string }> = {
  name: 'private-feed-owner',
  text: `SELECT account.id, account.name FROM private_feeds feed JOIN accounts account ON account.id = feed.account_id
    WHERE feed.token_hash = $1 AND account.suspended_at IS NULL`,
}

export const findFeedOwner = async (
  pool: pg.Pool,
  tokenHash: Buffer,
): Promise<{ id: string; name: string } | undefined> => (await readRows(pool, ownerOfFeed, [tokenHash]))[0]

const maxPosts = 50

export interface Bought {
  readonly post_id: string
  readonly granted_at: Date
  /** Identifies the current content, to reply 304 to a client that has it. */
  readonly state: string
}

/** The posts that an account may read because it, or a wallet linked to it, paid: the same rights that `mayRead` finds. */
const boughtLast: Statement<Bought> = {
  name: 'bought-last',
  text: `SELECT bought.post_id, bought.granted_at,
      concat_ws(' ', post.updated_us, account.handle, account.name, md5(uploads.image_paths::text)) AS state
    FROM (SELECT post_id, min(granted_at) AS granted_at FROM (${boughtByAccount('$1')}) every
      GROUP BY post_id ORDER BY 2 DESC, 1 LIMIT ${maxPosts}) bought
    JOIN posts post ON post.id = bought.post_id JOIN accounts account ON account.id = post.account_id
    LEFT JOIN post_uploads uploads ON uploads.post_id = post.id
    ORDER BY bought.granted_at DESC, bought.post_id`,
}

export const listBought = (pool: pg.Pool, accountId: string): Promise<Bought[]> =>
  readRows(pool, boughtLast, [accountId])

export interface BoughtPost extends PublicPostRow {
  readonly granted_at: Date
  /** The whole text, free and paid. Null if the feed would be too large with it. */
  readonly whole_html: string | null
  readonly image_paths: Record<string, string>
}

// The newest posts are included in full up to this total size, so that the feed stays small enough to download.
const maxHtmlBytes = 2_097_152

/** Checks the right to read again, so that an id from elsewhere opens nothing. */
const boughtPosts: Statement<BoughtPost> = {
  name: 'bought-posts',
  text: `SELECT ${publicPostColumns}, bought.granted_at, coalesce(uploads.image_paths, '{}') AS image_paths,
      CASE WHEN sum(octet_length(post.free_html) + coalesce(octet_length(post.paid_html), 0))
          OVER (ORDER BY bought.granted_at DESC, post.id) <= ${maxHtmlBytes}
        THEN concat(post.free_html, post.paid_html) END AS whole_html
    FROM (SELECT post_id, min(granted_at) AS granted_at FROM (${boughtByAccount('$1')}) every
      WHERE post_id = ANY($2) GROUP BY post_id) bought
    JOIN posts post ON post.id = bought.post_id ${publicPostJoins}
    ORDER BY bought.granted_at DESC, post.id`,
}

export const readBoughtPosts = (pool: pg.Pool, accountId: string, ids: readonly string[]): Promise<BoughtPost[]> =>
  readRows(pool, boughtPosts, [accountId, ids])
