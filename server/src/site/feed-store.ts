import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import { type PublicPostRow, publicPostColumns, publicPostJoins } from '../posts/catalog/public-post.ts'

/** The posts that a feed contains. */
export type FeedSource =
  | { readonly kind: 'site' }
  | { readonly kind: 'creator'; readonly accountId: string }
  | { readonly kind: 'collection'; readonly accountId: string; readonly tagId: string }

interface StateRow {
  readonly id: string
  readonly updated_us: string
  readonly name: string
  readonly handle: string
  readonly images: string | null
}

const maxPosts = 50
// Longer items are cut, because fifty of the longest posts would make a huge feed.
const maxHtmlBytes = 65_536

const stateOf = (kind: FeedSource['kind'], which: string): Statement<StateRow> => ({
  name: `feed-state-${kind}`,
  text: `SELECT post.id, post.updated_us, account.name, account.handle, md5(uploads.image_paths::text) AS images
    FROM posts post JOIN accounts account ON account.id = post.account_id
      LEFT JOIN post_uploads uploads ON uploads.post_id = post.id
    WHERE post.status = 'published' AND ${which}
    ORDER BY post.published_at DESC, post.id DESC LIMIT ${maxPosts}`,
})

const states = {
  site: stateOf('site', 'true'),
  creator: stateOf('creator', 'post.account_id = $1'),
  collection: stateOf(
    'collection',
    'post.account_id = $1 AND EXISTS (SELECT FROM post_tags WHERE post_id = post.id AND tag_id = $2)',
  ),
}

const siteChange: Statement<{ updated_us: string }> = {
  name: 'feed-change-site',
  text: `SELECT updated_us FROM posts WHERE status <> 'draft' ORDER BY updated_us DESC LIMIT 1`,
}
const creatorChange: Statement<{ updated_us: string }> = {
  name: 'feed-change-creator',
  text: `SELECT updated_us FROM posts WHERE account_id = $1 AND status <> 'draft' ORDER BY updated_us DESC LIMIT 1`,
}

export interface FeedState {
  /** Identifies the feed's posts with their revisions and authors. If it is unchanged, so is the feed. */
  readonly posts: readonly StateRow[]
  /** When any post of the site or the creator was last published, changed or withdrawn. */
  readonly changedAt: Date | undefined
}

export async function readFeedState(pool: pg.Pool, source: FeedSource): Promise<FeedState> {
  const account = source.kind === 'site' ? [] : [source.accountId]
  const [posts, [change]] = await Promise.all([
    readRows(pool, states[source.kind], source.kind === 'collection' ? [...account, source.tagId] : account),
    readRows(pool, source.kind === 'site' ? siteChange : creatorChange, account),
  ])
  return { posts, changedAt: change && new Date(Number(BigInt(change.updated_us) / 1000n)) }
}

export interface FeedPost extends PublicPostRow {
  /** Null if it is too long for a feed. */
  readonly free_html: string | null
  readonly image_paths: Record<string, string>
}

const feedPosts: Statement<FeedPost> = {
  name: 'feed-posts',
  text: `SELECT ${publicPostColumns},
      CASE WHEN octet_length(post.free_html) <= ${maxHtmlBytes} THEN post.free_html END AS free_html,
      coalesce(uploads.image_paths, '{}') AS image_paths
    FROM posts post ${publicPostJoins} WHERE post.id = ANY($1) AND post.status = 'published'
    ORDER BY post.published_at DESC, post.id DESC`,
}

export const listFeedPosts = (pool: pg.Pool, ids: readonly string[]): Promise<FeedPost[]> =>
  readRows(pool, feedPosts, [ids])
