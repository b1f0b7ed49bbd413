import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import { type PublicPostRow, publicPostColumns, publicPostJoins } from '../posts/catalog/public-post.ts'

/** The posts that a feed contains. */
export type FeedSource =
  | { readonly kind: 'site' }
  | { readonly kind: 'creator'; readonly accountId: string }
  | { readonly kind: 'collection'; readonly accountId: string; readonly tagId: string }

const maxPosts = 50
// Longer items are cut, because fifty of the longest posts would make a huge feed.
const maxHtmlBytes = 65_536

interface StateRow {
  readonly state: string | null
  readonly changed_us: string | null
}

interface SourceSql {
  /** Which posts it has, of `posts post`. */
  readonly which: string
  /** Whose changes count. */
  readonly whose: string
}

const sources: Readonly<Record<FeedSource['kind'], SourceSql>> = {
  site: { which: 'true', whose: 'true' },
  creator: { which: 'post.account_id = $1', whose: 'account_id = $1' },
  collection: {
    which: 'post.account_id = $1 AND EXISTS (SELECT FROM post_tags WHERE post_id = post.id AND tag_id = $2)',
    whose: 'account_id = $1',
  },
}

const newest = `ORDER BY post.published_at DESC, post.id DESC LIMIT ${maxPosts}`

// One row with a hash: reading fifty rows for every request took most of its time.
const stateOf = (kind: FeedSource['kind']): Statement<StateRow> => ({
  name: `feed-state-${kind}`,
  text: `SELECT
    (SELECT md5(string_agg(ROW(id, updated_us, name, handle, image_paths)::text, ' ' ORDER BY published_at DESC, id DESC))
      FROM (SELECT post.id, post.published_at, post.updated_us, account.name, account.handle, uploads.image_paths
        FROM posts post JOIN accounts account ON account.id = post.account_id
          LEFT JOIN post_uploads uploads ON uploads.post_id = post.id
        WHERE post.status = 'published' AND ${sources[kind].which} ${newest}) shown) AS state,
    (SELECT updated_us FROM posts WHERE ${sources[kind].whose} AND status <> 'draft'
      ORDER BY updated_us DESC LIMIT 1) AS changed_us`,
})

const postsOf = (kind: FeedSource['kind']): Statement<FeedPost> => ({
  name: `feed-posts-${kind}`,
  text: `SELECT ${publicPostColumns},
      CASE WHEN octet_length(post.free_html) <= ${maxHtmlBytes} THEN post.free_html END AS free_html,
      coalesce(uploads.image_paths, '{}') AS image_paths
    FROM posts post ${publicPostJoins} WHERE post.status = 'published' AND ${sources[kind].which} ${newest}`,
})

const statements = {
  site: { state: stateOf('site'), posts: postsOf('site') },
  creator: { state: stateOf('creator'), posts: postsOf('creator') },
  collection: { state: stateOf('collection'), posts: postsOf('collection') },
}

const valuesOf = (source: FeedSource): string[] => {
  if (source.kind === 'site') return []
  return source.kind === 'creator' ? [source.accountId] : [source.accountId, source.tagId]
}

export interface FeedState {
  /** Identifies the feed's posts with their revisions and authors. If it is unchanged, so is the feed. */
  readonly state: string
  /** When any post of the site or the creator was last published, changed or withdrawn. */
  readonly changedAt: Date | undefined
}

export async function readFeedState(pool: pg.Pool, source: FeedSource): Promise<FeedState> {
  const [row] = await readRows(pool, statements[source.kind].state, valuesOf(source))
  const { state, changed_us } = row!
  const changedAt = changed_us === null ? undefined : new Date(Number(BigInt(changed_us) / 1000n))
  return { state: state ?? '', changedAt }
}

export interface FeedPost extends PublicPostRow {
  /** Null if it is too long for a feed. */
  readonly free_html: string | null
  readonly image_paths: Record<string, string>
}

export const listFeedPosts = (pool: pg.Pool, source: FeedSource): Promise<FeedPost[]> =>
  readRows(pool, statements[source.kind].posts, valuesOf(source))
