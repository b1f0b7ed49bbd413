import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import type { PostRow } from '../posts/post-store.ts'
import type { TagRow } from '../posts/tag-store.ts'
import type { ReadyAttachment } from '../uploads/attachment-view.ts'

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
  /** Whether a ZIP is pending or ready: it decides the smallest price. */
  readonly has_zip: boolean
  readonly attachments: ReadyAttachment[]
}

export interface PublicPostDetail
  extends PublicPostRow,
    Pick<PostRow, 'free_markdown' | 'free_html' | 'comments_enabled' | 'agent_comments_enabled'> {
  readonly og_path: string | null
  readonly image_paths: Record<string, string>
}

const columns = `post.id, post.account_id, post.title, post.description, left(post.free_text, 600) AS free_text, post.has_paywall,
  post.price_currency, post.price_atomic, post.category, post.language, post.creation_method, post.creation_details,
  post.creation_attested, post.updated_us, post.published_at, account.name, account.handle, account.author_kind,
  profile.avatar_url, nano.address IS NOT NULL AS receives_nano, base.address IS NOT NULL AS receives_base,
  coalesce(uploads.active_count, 0) > 0 AS has_zip, coalesce(uploads.attachments, '[]') AS attachments,
  coalesce((SELECT jsonb_agg(jsonb_build_object('id', tag.id, 'name', tag.name, 'slug', tag.slug) ORDER BY tag.id)
    FROM post_tags JOIN tags tag ON tag.id = post_tags.tag_id WHERE post_tags.post_id = post.id), '[]') AS tags`

const joins = `JOIN accounts account ON account.id = post.account_id
  LEFT JOIN profiles profile ON profile.account_id = account.id
  LEFT JOIN receiving_addresses nano ON nano.account_id = account.id AND nano.rail = 'nano'
  LEFT JOIN receiving_addresses base ON base.account_id = account.id AND base.rail = 'base'
  LEFT JOIN post_uploads uploads ON uploads.post_id = post.id`

const publicPost: Statement<PublicPostDetail> = {
  name: 'public-post',
  text: `SELECT ${columns}, post.free_markdown, post.free_html, post.comments_enabled, post.agent_comments_enabled,
    uploads.og_path, coalesce(uploads.image_paths, '{}') AS image_paths
    FROM posts post ${joins} WHERE post.id = $1 AND post.status = 'published'`,
}

export const findPublicPost = async (pool: pg.Pool, id: string): Promise<PublicPostDetail | undefined> =>
  (await readRows(pool, publicPost, [id]))[0]

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
