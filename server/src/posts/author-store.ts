import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { noUploads, type PostUploads } from '../uploads/post-uploads.ts'
import type { TagRow } from './tag-store.ts'

/** An author, as far as publishing and pricing need it. */
export interface Author {
  readonly id: string
  readonly name: string
  readonly handle: string
  readonly receives_nano: boolean
  readonly receives_base: boolean
}

export async function findAuthor(db: Db | Tx, accountId: string): Promise<Author> {
  const { rows } = await sql<Author>`
    SELECT account.id, account.name, account.handle,
      bool_or(address.rail = 'nano') IS TRUE AS receives_nano, bool_or(address.rail = 'base') IS TRUE AS receives_base
    FROM accounts account LEFT JOIN receiving_addresses address ON address.account_id = account.id
    WHERE account.id = ${accountId} GROUP BY account.id`.execute(db)
  return rows[0]!
}

/** The author of a post, and what else a publication needs to know about the post. */
export interface PostParts {
  readonly author: Author
  readonly uploads: PostUploads
  readonly tags: readonly TagRow[]
}

/** In one statement, because each of these takes less time to read than a statement takes to be sent. */
export async function findPostParts(tx: Tx, accountId: string, postId: string): Promise<PostParts> {
  const { rows } = await sql<Author & { uploads: PostUploads | null; tags: TagRow[] }>`
    SELECT account.id, account.name, account.handle,
      EXISTS (SELECT FROM receiving_addresses WHERE account_id = account.id AND rail = 'nano') AS receives_nano,
      EXISTS (SELECT FROM receiving_addresses WHERE account_id = account.id AND rail = 'base') AS receives_base,
      (SELECT json_build_object('ready_count', ready_count, 'active_count', active_count, 'attachments', attachments,
          'og_path', og_path, 'image_paths', image_paths) FROM post_uploads WHERE post_id = ${postId}) AS uploads,
      (SELECT coalesce(json_agg(json_build_object('id', tag.id, 'name', tag.name, 'slug', tag.slug) ORDER BY tag.id), '[]')
        FROM post_tags JOIN tags tag ON tag.id = post_tags.tag_id WHERE post_tags.post_id = ${postId}) AS tags
    FROM accounts account WHERE account.id = ${accountId}`.execute(tx)
  const { uploads, tags, ...author } = rows[0]!
  return { author, uploads: uploads ?? noUploads, tags }
}
