import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import type { PublicPostRow } from '../posts/catalog/public-post.ts'

/** A post in a list, with the stamp of its card. */
export interface Listed {
  readonly post_id: string
  readonly stamp: string
}

/** What lists show of a post. */
export interface Card extends Listed {
  readonly post: PublicPostRow
}

const cards: Statement<Listed & { card: string }> = {
  name: 'cards',
  text: `SELECT entry.post_id, entry.stamp, shown.card FROM unnest($1::uuid[]) WITH ORDINALITY AS listed (post_id, place)
    JOIN catalog entry ON entry.post_id = listed.post_id JOIN catalog_cards shown ON shown.post_id = listed.post_id
    ORDER BY listed.place`,
}

/** The cards of these posts in this order, without those that are not public. */
export async function readCards(pool: pg.Pool, ids: readonly string[]): Promise<Card[]> {
  if (ids.length === 0) return []
  const rows = await readRows(pool, cards, [ids])
  return rows.map(({ post_id, stamp, card }) => ({ post_id, stamp, post: postOf(card) }))
}

/** The same posts as rows, for HTML pages. */
export const readPosts = async (pool: pg.Pool, listed: readonly Listed[]): Promise<PublicPostRow[]> => {
  const found = await readCards(
    pool,
    listed.map(({ post_id }) => post_id),
  )
  return found.map(({ post }) => post)
}

function postOf(card: string): PublicPostRow {
  // A card that a process of the version before wrote has no slug.
  const { published_at, slug = '', ...said } = JSON.parse(card)
  return { ...said, slug, published_at: new Date(published_at) }
}
