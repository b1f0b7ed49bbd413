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
