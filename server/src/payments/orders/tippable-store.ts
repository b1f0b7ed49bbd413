import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'

/** Who gets a tip, and where. */
export interface Tippable {
  readonly post_id: string
  readonly author_id: string
  readonly nano_address: string | null
  readonly base_address: string | null
  /** In XNO; null where the author never chose any. */
  readonly tip_amounts: number[] | null
}

export async function findTippablePost(tx: Db | Tx, postId: string): Promise<Tippable | undefined> {
  const { rows } = await sql<Tippable>`
    SELECT post.id AS post_id, post.account_id AS author_id, nano.address AS nano_address,
      base.address AS base_address, profile.tip_amounts
    FROM posts post
    LEFT JOIN receiving_addresses nano ON nano.account_id = post.account_id AND nano.rail = 'nano'
    LEFT JOIN receiving_addresses base ON base.account_id = post.account_id AND base.rail = 'base'
    LEFT JOIN profiles profile ON profile.account_id = post.account_id
    WHERE post.id = ${postId} AND post.status = 'published'`.execute(tx)
  return rows[0]
}

/** A comment that is not deleted, under a public post. */
export async function findTippableComment(tx: Db | Tx, commentId: string): Promise<Tippable | undefined> {
  const { rows } = await sql<Tippable>`
    SELECT comment.post_id, comment.author_id, nano.address AS nano_address,
      base.address AS base_address, profile.tip_amounts
    FROM comments comment JOIN posts post ON post.id = comment.post_id AND post.status = 'published'
    LEFT JOIN receiving_addresses nano ON nano.account_id = comment.author_id AND nano.rail = 'nano'
    LEFT JOIN receiving_addresses base ON base.account_id = comment.author_id AND base.rail = 'base'
    LEFT JOIN profiles profile ON profile.account_id = comment.author_id
    WHERE comment.id = ${commentId} AND comment.deleted_at IS NULL`.execute(tx)
  return rows[0]
}

/** The post of a comment, also one that is deleted or no longer public: a payment for it may be under way. */
export async function findPostOfComment(db: Db, commentId: string): Promise<string | undefined> {
  const { rows } = await sql<{ post_id: string }>`SELECT post_id FROM comments WHERE id = ${commentId}`.execute(db)
  return rows[0]?.post_id
}
