import type pg from 'pg'
import type { OrderedQuery } from './browse-catalog.ts'
import type { Listed } from './card-store.ts'
import { priceSql } from './catalog-filter.ts'
import { nanoPrice, orders } from './catalog-orders.ts'
import { facetTerms, fromHits, termsSql } from './terms-sql.ts'

/** Finds a page by fetching all matches from the term index and sorting them. For filters that few posts match. */
export async function collectHits(
  searchPool: pg.Pool,
  { filter, terms, sort, rates }: OrderedQuery,
  { limit, offset }: { limit: number; offset: number },
): Promise<Listed[]> {
  const values: unknown[] = [limit, offset]
  const hits = fromHits(termsSql([...terms, ...facetTerms(filter)], values))
  const priced = `SELECT *, ${nanoPrice(values, rates)} AS raw FROM ${hits} WHERE true${priceSql(filter, values)}`
  const { rows } = await searchPool.query<Listed>(
    `SELECT post_id, stamp FROM (${priced}) priced ORDER BY ${orders[sort]} LIMIT $1 OFFSET $2`,
    values,
  )
  return rows
}
