import type pg from 'pg'
import { facetTerm } from '../posts/catalog/search-terms.ts'
import type { OrderedQuery } from './browse-catalog.ts'
import type { Listed } from './card-store.ts'
import { priceSql } from './catalog-filter.ts'
import { nanoPrice, orders } from './catalog-orders.ts'

/** Finds a page by fetching all matches from the term index and sorting them. For filters that few posts match. */
export async function collectHits(
  searchPool: pg.Pool,
  { filter, terms, sort, rates }: OrderedQuery,
  { limit, offset }: { limit: number; offset: number },
): Promise<Listed[]> {
  const values: unknown[] = [[...terms, ...filter.facets.map(facetTerm)], limit, offset]
  const hits = `SELECT *, ${nanoPrice(values, rates)} AS raw FROM catalog WHERE terms @> $1::bigint[]${priceSql(filter, values)}`
  const { rows } = await searchPool.query<Listed>(
    `SELECT post_id, stamp FROM (${hits}) hits ORDER BY ${orders[sort]} LIMIT $2 OFFSET $3`,
    values,
  )
  return rows
}
