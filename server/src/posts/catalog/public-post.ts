import type { ReadyAttachment } from '../../uploads/attachment-view.ts'
import type { PostRow } from '../post-store.ts'
import type { TagRow } from '../tag-store.ts'

/** The public columns of a published post. The paid columns are not even read. */
export interface PublicPostRow
  extends Pick<
    PostRow,
    | 'id'
    | 'account_id'
    | 'slug'
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
  /** True if a ZIP is pending or ready, which raises the smallest price. */
  readonly has_zip: boolean
  readonly attachments: ReadyAttachment[]
}

/** A post with what lists show besides it: columns of `catalog_cards`. */
export interface ListedPostRow extends PublicPostRow {
  /** The number of words of the whole post, or null if they are not counted yet. */
  readonly words: number | null
  /** The path of its cover image. */
  readonly og_path: string | null
  readonly comment_count: number
}

/**
 * The columns to select from `posts post` with the joins below. Amounts and revisions are text, because JSON would
 * round them.
 */
export const publicPostColumns = `post.id, post.account_id, post.slug, post.title, post.description, left(post.free_text, 600) AS free_text, post.has_paywall,
  post.price_currency, post.price_atomic::text AS price_atomic, post.category, post.language, post.creation_method, post.creation_details,
  post.creation_attested, post.updated_us::text AS updated_us, post.published_at, account.name, account.handle, account.author_kind,
  profile.avatar_url, nano.address IS NOT NULL AS receives_nano, base.address IS NOT NULL AS receives_base,
  coalesce(uploads.active_count, 0) > 0 AS has_zip, coalesce(uploads.attachments, '[]') AS attachments,
  coalesce((SELECT jsonb_agg(jsonb_build_object('id', tag.id, 'name', tag.name, 'slug', tag.slug) ORDER BY tag.id)
    FROM post_tags JOIN tags tag ON tag.id = post_tags.tag_id WHERE post_tags.post_id = post.id), '[]') AS tags`

export const publicPostJoins = `JOIN accounts account ON account.id = post.account_id
  LEFT JOIN profiles profile ON profile.account_id = account.id
  LEFT JOIN receiving_addresses nano ON nano.account_id = account.id AND nano.rail = 'nano'
  LEFT JOIN receiving_addresses base ON base.account_id = account.id AND base.rail = 'base'
  LEFT JOIN post_uploads uploads ON uploads.post_id = post.id`
