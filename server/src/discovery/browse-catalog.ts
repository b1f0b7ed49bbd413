import type { CatalogQuery } from '@pennypost/contract/discovery'
import type pg from 'pg'
import type { Rates } from '../rails/rates.ts'
import type { Listed } from './card-store.ts'
import { type CatalogFilter, filterParts, filterSql } from './catalog-filter.ts'
import { nanoPrice, orders } from './catalog-orders.ts'

type Sort = CatalogQuery['sort']

/** What is listed in an order of the catalog: what the filter lets through, and of that what has all these terms. */
export interface OrderedQuery {
  readonly filter: CatalogFilter
  readonly terms: readonly string[]
  readonly sort: Sort
  readonly rates: Rates | undefined
}

interface Page {
  readonly limit: number
  readonly offset: number
}

/** The Posts of a page, down the index of the order, past what does not fit: for what many Posts have. */
export async function browseCatalog(pool: pg.Pool, query: OrderedQuery, { limit, offset }: Page): Promise<Listed[]> {
  const { filter, terms, sort, rates } = query
  const values: unknown[] = [limit, offset]
  const text =
    sort === 'price_asc' || sort === 'price_desc'
      ? byPrice(query, values)
      : `SELECT post_id, stamp FROM catalog WHERE true${filterSql(filter, values)}${termsSql(terms, values)} ORDER BY ${orders[sort]} LIMIT $1 OFFSET $2`
  // A statement that few others share is not worth a name on every connection.
  const isCommon = filter.prices === undefined && filter.facets.length <= 1 && terms.length === 0
  const name = isCommon ? `browse ${sort}${rates ? '' : ' unrated'} ${filter.facets.map(nameOf)}` : undefined
  const { rows } = await pool.query<Listed>({ text, values, ...(name !== undefined && { name }) })
  return rows
}

const termsSql = (terms: readonly string[], values: unknown[]): string =>
  terms.length === 0 ? '' : ` AND terms @> $${values.push(terms)}::bigint[]`

// Facets that are written out make statements of their own; those with a value share one.
const nameOf = (facet: string) => facet.replace(/^(category|language)=.*$/s, '$1')

/**
 * Prices of two currencies in one order: each is read down its own index, as far as this page can reach, and merged.
 * What has no price in Nano for want of a rate comes last.
 */
function byPrice({ filter, terms, sort, rates }: OrderedQuery, values: unknown[]): string {
  const direction = sort === 'price_asc' ? '' : ' DESC'
  const hasTerms = termsSql(terms, values)
  const streams = filterParts(filter, values).map(
    (condition) => `(SELECT post_id, stamp, price_atomic, ${nanoPrice(values, rates)} AS raw FROM catalog
      WHERE ${condition}${hasTerms} ORDER BY price_atomic${direction}, post_id${direction} LIMIT $1::int + $2::int)`,
  )
  if (streams.length === 0) return 'SELECT post_id, stamp FROM catalog WHERE false LIMIT $1 OFFSET $2'
  return `SELECT post_id, stamp FROM (${streams.join(' UNION ALL ')}) priced
    ORDER BY ${orders[sort]} LIMIT $1 OFFSET $2`
}
