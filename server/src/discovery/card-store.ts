import type pg from 'pg'
import type { PublicPostRow } from '../posts/catalog/public-post.ts'

interface Listing {
  /** Selects `post_id`, in order. */
  readonly text: string
  readonly values: readonly unknown[]
  readonly name?: string
}

/** The Posts that a statement lists, as lists show them, in its order and in one question. */
export async function readListing(pool: pg.Pool, { text, values, name }: Listing): Promise<PublicPostRow[]> {
  const { rows } = await pool.query<{ card: string }>({
    text: `SELECT shown.card FROM (SELECT post_id, row_number() OVER () AS place FROM (${text}) listed) page
      JOIN catalog_cards shown ON shown.post_id = page.post_id ORDER BY page.place`,
    values: [...values],
    ...(name !== undefined && { name }),
  })
  return rows.map(({ card }) => cardOf(card))
}

/** Those of these Posts that are public, in this order. */
export const readCards = async (pool: pg.Pool, ids: readonly string[]): Promise<PublicPostRow[]> =>
  ids.length === 0
    ? []
    : readListing(pool, { name: 'cards', text: 'SELECT unnest($1::uuid[]) AS post_id', values: [ids] })

function cardOf(card: string): PublicPostRow {
  const { published_at, ...said } = JSON.parse(card)
  return { ...said, published_at: new Date(published_at) }
}
