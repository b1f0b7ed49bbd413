import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import type { PostRow } from '../posts/post-store.ts'
import type { TagRow } from '../posts/tag-store.ts'

/** What anybody may see of a published Post: the paid columns are not even read. */
export interface PublicPostRow
  extends Pick<
    PostRow,
    | 'id'
    | 'account_id'
    | 'title'
    | 'description'
    | 'free_text'
    | 'has_paywall'
    | 'price_currency'
    | 'price_atomic'
    | 'category'
    | 'language'
    | 'creation_method'
    | 'creation_details'
    | 'creation_attested'
    | 'updated_us'
  > {
  readonly published_at: Date
  readonly name: string
  readonly handle: string
  readonly author_kind: 'human' | 'agent'
  readonly avatar_url: string | null
  readonly receives_nano: boolean
  readonly receives_base: boolean
  readonly tags: TagRow[]
}

export interface PublicPostDetail
  extends PublicPostRow,
    Pick<PostRow, 'free_markdown' | 'free_html' | 'comments_enabled' | 'agent_comments_enabled'> {}

const columns = `post.id, post.account_id, post.title, post.description, left(post.free_text, 600) AS free_text, post.has_paywall,
  post.price_currency, post.price_atomic, post.category, post.language, post.creation_method, post.creation_details,
  post.creation_attested, post.updated_us, post.published_at, account.name, account.handle, account.author_kind,
  profile.avatar_url, nano.address IS NOT NULL AS receives_nano, base.address IS NOT NULL AS receives_base,
  coalesce((SELECT jsonb_agg(jsonb_build_object('id', tag.id, 'name', tag.name, 'slug', tag.slug) ORDER BY tag.id)
    FROM post_tags JOIN tags tag ON tag.id = post_tags.tag_id WHERE post_tags.post_id = post.id), '[]') AS tags`

const joins = `JOIN accounts account ON account.id = post.account_id
  LEFT JOIN profiles profile ON profile.account_id = account.id
  LEFT JOIN receiving_addresses nano ON nano.account_id = account.id AND nano.rail = 'nano'
  LEFT JOIN receiving_addresses base ON base.account_id = account.id AND base.rail = 'base'`

/** For other lists of public Posts: the columns are of Posts named `post`, with the joins. */
export { columns as publicPostColumns, joins as publicPostJoins }

const publicPost: Statement<PublicPostDetail> = {
  name: 'public-post',
  text: `SELECT ${columns}, post.free_markdown, post.free_html, post.comments_enabled, post.agent_comments_enabled
    FROM posts post ${joins} WHERE post.id = $1 AND post.status = 'published'`,
}

export const findPublicPost = async (pool: pg.Pool, id: string): Promise<PublicPostDetail | undefined> =>
  (await readRows(pool, publicPost, [id]))[0]

const publicPosts: Statement<PublicPostRow> = {
  name: 'public-posts',
  text: `SELECT ${columns} FROM unnest($1::uuid[]) WITH ORDINALITY AS listed (id, place) JOIN posts post ON post.id = listed.id ${joins}
    WHERE post.status = 'published' ORDER BY listed.place`,
}

/** Those of these that are public, in this order. */
export const readPublicPosts = async (pool: pg.Pool, ids: readonly string[]): Promise<PublicPostRow[]> =>
  ids.length === 0 ? [] : readRows(pool, publicPosts, [ids])

interface PaidEntry {
  readonly post_id: string
  readonly published_at: Date
}

const paidPosts: Statement<PaidEntry> = {
  name: 'paid-posts',
  text: `SELECT post_id, published_at FROM catalog WHERE price_kind <> 'free' AND published_at >= $1
      AND (published_at, post_id) < ($2, $3::uuid)
    ORDER BY published_at DESC, post_id DESC LIMIT $4`,
}

/** Paid Posts from a place on, the newest first. */
export const listPaidPostIds = (
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

const relatedPosts: Statement<{ id: string }> = {
  name: 'related-posts',
  // Few candidates from each side, each read down an index; then points, and the better Post where they are level.
  text: `WITH candidates AS (
      (SELECT member.post_id FROM post_tags own JOIN post_tags member ON member.tag_id = own.tag_id
        WHERE own.post_id = $1 LIMIT 50)
      UNION (SELECT post_id FROM catalog WHERE category = $2 ORDER BY score DESC, post_id LIMIT 50)
      UNION (SELECT id FROM posts WHERE account_id = (SELECT account_id FROM posts WHERE id = $1) AND status = 'published'
        ORDER BY updated_us DESC LIMIT 20))
    SELECT entry.post_id AS id FROM candidates JOIN catalog entry ON entry.post_id = candidates.post_id
      JOIN posts post ON post.id = entry.post_id
    WHERE entry.post_id <> $1
    ORDER BY 3 * (SELECT count(*) FROM post_tags mine JOIN post_tags theirs ON theirs.tag_id = mine.tag_id
          WHERE mine.post_id = $1 AND theirs.post_id = entry.post_id)
        + 2 * (SELECT count(*) FROM unnest($4::bigint[]) word WHERE word = ANY(entry.terms))
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

/** Posts beside this one: shared tags, words of the title, category, language, author. */
export async function listRelatedIds(pool: pg.Pool, to: RelatedTo): Promise<string[]> {
  const values = [to.postId, to.category, to.language, to.titleTerms, to.limit]
  return (await readRows(pool, relatedPosts, values)).map(({ id }) => id)
}

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

const collectionPosts: Statement<PublicPostRow> = {
  name: 'tag-collection-posts',
  text: `SELECT ${columns} FROM posts post ${joins}
    WHERE post.id IN (
      SELECT member.id FROM post_tags JOIN posts member ON member.id = post_tags.post_id
      WHERE post_tags.tag_id = $1 AND member.status = 'published'
      ORDER BY member.published_at DESC, member.id LIMIT $2 OFFSET $3)
    ORDER BY post.published_at DESC, post.id`,
}

export const findCollection = async (pool: pg.Pool, tagId: string): Promise<Collection | undefined> =>
  (await readRows(pool, collection, [tagId]))[0]

export const listCollectionPosts = (
  pool: pg.Pool,
  tagId: string,
  limit: number,
  offset: number,
): Promise<PublicPostRow[]> => readRows(pool, collectionPosts, [tagId, limit, offset])
