import type pg from 'pg'
import { batchedReads } from '../platform/batched-reads.ts'
import { readRows, type Statement } from '../platform/database/database.ts'
import type { PostRow } from '../posts/post-store.ts'

/** A post's state and price, as anyone who asks to read it sees them. */
export interface OfferedPost
  extends Pick<
    PostRow,
    'id' | 'account_id' | 'title' | 'description' | 'status' | 'has_paywall' | 'price_currency' | 'price_atomic'
  > {
  readonly nano_address: string | null
  readonly base_address: string | null
  readonly has_zip: boolean
}

export const offeredColumns = `post.id, post.account_id, post.title, post.description, post.status, post.has_paywall,
  post.price_currency, post.price_atomic::text AS price_atomic, nano.address AS nano_address, base.address AS base_address,
  coalesce(uploads.active_count, 0) > 0 AS has_zip`

export const offeredJoins = `LEFT JOIN receiving_addresses nano ON nano.account_id = post.account_id AND nano.rail = 'nano'
  LEFT JOIN receiving_addresses base ON base.account_id = post.account_id AND base.rail = 'base'
  LEFT JOIN post_uploads uploads ON uploads.post_id = post.id`

// The ids are in a subquery, so that one plan does for any number of them.
const offeredPosts: Statement<OfferedPost> = {
  name: 'offered-posts',
  text: `WITH wanted AS MATERIALIZED (SELECT post_id FROM unnest((SELECT $1::uuid[])) AS asked (post_id))
    SELECT ${offeredColumns} FROM wanted JOIN posts post ON post.id = wanted.post_id ${offeredJoins}`,
}

/**
 * Finds posts. Concurrent lookups share one query, which reads each post once, because every purchase by a program begins
 * with a 402.
 */
export const openOfferedPosts = (pool: pg.Pool): ((postId: string) => Promise<OfferedPost | undefined>) =>
  batchedReads(
    async (ids: readonly string[]) => {
      // As the database writes them.
      const wanted = ids.map((id) => id.toLowerCase())
      const rows = await readRows(pool, offeredPosts, [[...new Set(wanted)]])
      const found = new Map(rows.map((post) => [post.id, post]))
      return wanted.map((id) => found.get(id))
    },
    { maxKeys: 64, maxBatches: 2 },
  )
