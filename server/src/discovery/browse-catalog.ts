import type { CatalogQuery } from '@pennypost/contract/discovery'
import type pg from 'pg'
import type { Rates } from '../rails/rates.ts'
import type { Listed } from './card-store.ts'
import { type CatalogFilter, filterParts, filterSql } from './catalog-filter.ts'
import { nanoPrice, orders } from './catalog-orders.ts'

type Sort = CatalogQuery['sort']

interface Page {
  readonly limit: number
  readonly offset: number
}

/** The Posts of a page, without a search: down the index of the order, past what the filter does not let through. */
export async function browseCatalog(
  pool: pg.Pool,
  filter: CatalogFilter,
  sort: Sort,
  { limit, offset }: Page,
  rates: Rates | undefined,
): Promise<Listed[]> {
  const values: unknown[] = [limit, offset]
  const text =
    sort === 'price_asc' || sort === 'price_desc'
      ? byPrice(filter, sort, values, rates)
      : `SELECT post_id, stamp FROM catalog WHERE true${filterSql(filter, values)} ORDER BY ${orders[sort]} LIMIT $1 OFFSET $2`
  // A statement that few others share is not worth a name on every connection.
  const isCommon = filter.prices === undefined && filter.facets.length <= 1
  const name = isCommon ? `browse ${sort}${rates ? '' : ' unrated'} ${filter.facets.map(nameOf)}` : undefined
  const { rows } = await pool.query<Listed>({ text, values, ...(name !== undefined && { name }) })
  return rows
}

// Facets that are written out make statements of their own; those with a value share one.
const nameOf = (facet: string) => facet.replace(/^(category|language)=.*$/s, '$1')

/**
 * Prices of two currencies in one order: each is read down its own index, as far as this page can reach, and merged.
 * What has no price in Nano for want of a rate comes last.
 */
function byPrice(filter: CatalogFilter, sort: Sort, values: unknown[], rates: Rates | undefined): string {
  const direction = sort === 'price_asc' ? '' : ' DESC'
  const streams = filterParts(filter, values).map(
    (condition) => `(SELECT post_id, stamp, price_atomic, ${nanoPrice(values, rates)} AS raw FROM catalog
      WHERE ${condition} ORDER BY price_atomic${direction}, post_id${direction} LIMIT $1::int + $2::int)`,
  )
  if (streams.length === 0) return 'SELECT post_id, stamp FROM catalog WHERE false LIMIT $1 OFFSET $2'
  return `SELECT post_id, stamp FROM (${streams.join(' UNION ALL ')}) priced
    ORDER BY ${orders[sort]} LIMIT $1 OFFSET $2`
}
