import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import type { ListedPostRow } from '../posts/catalog/public-post.ts'

/** A post in a list, with the stamp of its card. */
export interface Listed {
  readonly post_id: string
  readonly stamp: string
}

/** The content of a post in lists. */
export interface Card extends Listed {
  readonly post: ListedPostRow
}

interface CardRow extends Listed, Pick<ListedPostRow, 'words' | 'og_path' | 'comment_count'> {
  readonly card: string
}

const cards: Statement<CardRow> = {
  name: 'cards',
  text: `SELECT entry.post_id, entry.stamp, shown.card, shown.words, shown.og_path, shown.comment_count
    FROM unnest($1::uuid[]) WITH ORDINALITY AS listed (post_id, place)
    JOIN catalog entry ON entry.post_id = listed.post_id JOIN catalog_cards shown ON shown.post_id = listed.post_id
    ORDER BY listed.place`,
}

/** The cards of these posts in this order, without those that are not public. */
export async function readCards(pool: pg.Pool, ids: readonly string[]): Promise<Card[]> {
  if (ids.length === 0) return []
  const rows = await readRows(pool, cards, [ids])
  return rows.map((row) => ({ post_id: row.post_id, stamp: row.stamp, post: postOf(row) }))
}

/** The same posts as rows, for HTML pages. */
export const readPosts = async (
  pool: pg.Pool,
  listed: readonly Pick<Listed, 'post_id'>[],
): Promise<ListedPostRow[]> => {
  const found = await readCards(
    pool,
    listed.map(({ post_id }) => post_id),
  )
  return found.map(({ post }) => post)
}

function postOf({ card, words, og_path, comment_count }: CardRow): ListedPostRow {
  // A card that a process of the previous version wrote has no slug.
  const { published_at, slug = '', ...said } = JSON.parse(card)
  return { ...said, slug, published_at: new Date(published_at), words, og_path, comment_count }
}
