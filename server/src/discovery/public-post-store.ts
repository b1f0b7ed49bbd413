import type pg from 'pg'
import { accountOfHandle } from '../accounts/account-of-handle.ts'
import type { ReactionCounts } from '../discussion/reaction-view.ts'
import { type Reader, readRows, type Statement } from '../platform/database/database.ts'
import { type ListedPostRow, publicPostColumns, publicPostJoins } from '../posts/catalog/public-post.ts'
import type { PostRow } from '../posts/post-store.ts'
import { storedSlug } from '../posts/slug.ts'
import type { Listed } from './card-store.ts'

export interface PublicPostDetail
  extends ListedPostRow,
    Pick<
      PostRow,
      | 'canonical_url'
      | 'imported_at'
      | 'free_markdown'
      | 'free_html'
      | 'paid_words'
      | 'paid_images'
      | 'comments_enabled'
      | 'agent_comments_enabled'
    >,
    ReactionCounts {
  readonly sales_count: number
  readonly tip_total_raw: string
  readonly tip_total_atomic: string
  /** Null means the default. */
  readonly tip_label: string | null
  readonly tip_amounts: number[] | null
  readonly bio: string | null
  readonly image_paths: Record<string, string>
}

// A post without any activity has no row of figures.
const figures = [
  'thumbs_up',
  'heart',
  'fire',
  'clap',
  'comment_count',
  'sales_count',
  'tip_total_raw',
  'tip_total_atomic',
]
  .map((name) => `coalesce(figures.${name}, 0) AS ${name}`)
  .join(', ')

const publicPostSelect = `SELECT ${publicPostColumns}, post.free_markdown, post.free_html, post.paid_words, post.paid_images, post.comments_enabled,
      post.agent_comments_enabled, post.canonical_url, post.imported_at,
      ${figures}, profile.tip_label, profile.tip_amounts, profile.bio, uploads.og_path,
      coalesce(uploads.image_paths, '{}') AS image_paths, shown.words
    FROM posts post ${publicPostJoins} LEFT JOIN catalog_cards shown ON shown.post_id = post.id
      LEFT JOIN post_figures figures ON figures.post_id = post.id`

export const publicPost: Statement<PublicPostDetail> = {
  name: 'public-post',
  text: `${publicPostSelect} WHERE post.id = $1 AND post.status = 'published'`,
}

export const findPublicPost = async (reader: Reader, id: string): Promise<PublicPostDetail | undefined> =>
  (await readRows(reader, publicPost, [id]))[0]

export const publicPostBySlug: Statement<PublicPostDetail> = {
  name: 'public-post-by-slug',
  text: `${publicPostSelect} WHERE post.status = 'published' AND post.id = (
    SELECT post_id FROM post_slugs WHERE account_id = ${accountOfHandle('$1')} AND slug = $2)`,
}

/** Finds a published post by a handle that its author has or had, and a slug that it has or had. */
export const findPublicPostBySlug = async (
  pool: pg.Pool,
  handle: string,
  slug: string,
): Promise<PublicPostDetail | undefined> => (await readRows(pool, publicPostBySlug, [handle, storedSlug(slug)]))[0]

interface PaidEntry extends Listed {
  readonly published_at: Date
}

const paidPosts: Statement<PaidEntry> = {
  name: 'paid-posts',
  text: `SELECT post_id, stamp, published_at FROM catalog WHERE price_kind <> 'free' AND published_at >= $1
      AND (published_at, post_id) < ($2, $3::uuid)
    ORDER BY published_at DESC, post_id DESC LIMIT $4`,
}

/** Paid posts after a place, newest first. */
export const listPaidEntries = (
  pool: pg.Pool,
  from: {
    readonly publishedAfter: Date | undefined
    readonly place: { readonly publishedAt: Date; readonly postId: string } | undefined
    readonly limit: number
  },
): Promise<PaidEntry[]> =>
  readRows(pool, paidPosts, [
    from.publishedAfter ?? '-infinity',
    from.place?.publishedAt ?? 'infinity',
    from.place?.postId ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    from.limit,
  ])

/** In bytes: some 8,000 different words. */
const longestTerms = 65_536

const relatedPosts: Statement<Listed> = {
  name: 'related-posts',
  // A few candidates by each criterion, each from an index; then ranked by points, and by score if they are equal. Terms are
  // stored outside the rows: appending nothing fetches them once, and not again for every word. Those of books are left out,
  // because fifty of them would take seconds.
  text: `WITH candidates AS (
      (SELECT entry.post_id FROM post_tags own JOIN post_tags member ON member.tag_id = own.tag_id
        JOIN catalog entry ON entry.post_id = member.post_id WHERE own.post_id = $1 ORDER BY entry.score DESC LIMIT 50)
      UNION (SELECT post_id FROM catalog WHERE category = $2 ORDER BY score DESC, post_id LIMIT 50)
      UNION (SELECT id FROM posts WHERE account_id = (SELECT account_id FROM posts WHERE id = $1) AND status = 'published'
        ORDER BY updated_us DESC LIMIT 20))
    SELECT entry.post_id, entry.stamp FROM candidates JOIN catalog entry ON entry.post_id = candidates.post_id
      JOIN posts post ON post.id = entry.post_id
    WHERE entry.post_id <> $1
    ORDER BY 3 * (SELECT count(*) FROM post_tags mine JOIN post_tags theirs ON theirs.tag_id = mine.tag_id
          WHERE mine.post_id = $1 AND theirs.post_id = entry.post_id)
        + 2 * (SELECT count(*) FROM (SELECT terms || '{}'::bigint[] AS terms FROM search_terms
              WHERE post_id = entry.post_id AND pg_column_size(terms) < ${longestTerms}) own,
            unnest($4::bigint[]) word WHERE word = ANY(own.terms))
        + CASE WHEN entry.category = $2 THEN 2 ELSE 0 END + CASE WHEN entry.language = $3 THEN 2 ELSE 0 END
        + CASE WHEN post.account_id = (SELECT account_id FROM posts WHERE id = $1) THEN 1 ELSE 0 END DESC,
      entry.score DESC, entry.post_id
    LIMIT $5`,
}

interface RelatedTo {
  readonly postId: string
  readonly category: string
  readonly language: string
  readonly titleTerms: readonly string[]
  readonly limit: number
}

/** Related posts, by shared tags, words of the title, category, language and author. */
export const listRelated = (pool: pg.Pool, to: RelatedTo): Promise<Listed[]> =>
  readRows(pool, relatedPosts, [to.postId, to.category, to.language, to.titleTerms, to.limit])

interface Collection {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly account_id: string
  readonly creator_name: string
  readonly handle: string
  readonly author_kind: 'human' | 'agent'
  readonly avatar_url: string | null
  readonly total: number
}

const collection: Statement<Collection> = {
  name: 'tag-collection',
  text: `SELECT tag.id, tag.name, tag.slug, tag.account_id, account.name AS creator_name, account.handle, account.author_kind, profile.avatar_url,
      (SELECT count(*)::int FROM post_tags JOIN posts post ON post.id = post_tags.post_id
        WHERE post_tags.tag_id = tag.id AND post.status = 'published') AS total
    FROM tags tag JOIN accounts account ON account.id = tag.account_id LEFT JOIN profiles profile ON profile.account_id = account.id
    WHERE tag.id = $1`,
}

export const findCollection = async (pool: pg.Pool, tagId: string): Promise<Collection | undefined> =>
  (await readRows(pool, collection, [tagId]))[0]

const collectionPosts: Statement<Listed> = {
  name: 'tag-collection-posts',
  text: `SELECT entry.post_id, entry.stamp FROM post_tags JOIN catalog entry ON entry.post_id = post_tags.post_id
    WHERE post_tags.tag_id = $1 ORDER BY entry.published_at DESC, entry.post_id LIMIT $2 OFFSET $3`,
}

export const listCollectionPosts = (pool: pg.Pool, tagId: string, limit: number, offset: number): Promise<Listed[]> =>
  readRows(pool, collectionPosts, [tagId, limit, offset])
