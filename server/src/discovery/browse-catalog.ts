import type { CatalogQuery } from '@pennypost/contract/discovery'
import type pg from 'pg'
import type { Rates } from '../rails/rates.ts'
import type { Listed } from './card-store.ts'
import { type CatalogFilter, filterParts, filterSql } from './catalog-filter.ts'
import { nanoPrice, orders } from './catalog-orders.ts'
import { termsSql, type WantedTerms } from './terms-sql.ts'

type Sort = CatalogQuery['sort']

/** A query in one order of the catalog: a filter, and terms that every post must have. */
export interface OrderedQuery {
  readonly filter: CatalogFilter
  readonly terms: WantedTerms
  readonly sort: Sort
  readonly rates: Rates | undefined
}

interface Page {
  readonly limit: number
  readonly offset: number
}

/** Finds a page by walking the index of the order and skipping what does not match. For filters that many posts match. */
export async function browseCatalog(pool: pg.Pool, query: OrderedQuery, { limit, offset }: Page): Promise<Listed[]> {
  const { filter, terms, sort, rates } = query
  const values: unknown[] = [limit, offset]
  const text =
    sort === 'price_asc' || sort === 'price_desc'
      ? byPrice(query, values)
      : `SELECT post_id, stamp FROM catalog WHERE true${filterSql(filter, values)}${andTerms(terms, values)} ORDER BY ${orders[sort]} LIMIT $1 OFFSET $2`
  // A statement that is rarely reused should not be prepared on every connection.
  const isCommon = filter.prices === undefined && filter.facets.length <= 1 && terms.length === 0
  const name = isCommon ? `browse ${sort}${rates ? '' : ' unrated'} ${filter.facets.map(nameOf)}` : undefined
  const { rows } = await pool.query<Listed>({ text, values, ...(name !== undefined && { name }) })
  return rows
}

// A subquery, so that the terms of one post after another are tested, in the order of the walk.
const andTerms = (terms: WantedTerms, values: unknown[]): string =>
  terms.length === 0
    ? ''
    : ` AND (SELECT ${termsSql(terms, values)} FROM search_terms WHERE search_terms.post_id = catalog.post_id)`

// Facets without a parameter are part of the statement's text; those with one share a statement.
const nameOf = (facet: string) => facet.replace(/^(category|language)=.*$/s, '$1')

/**
 * Orders prices of two currencies: each currency is read from its own index as far as this page can reach, then merged.
 * Posts without a Nano price, because there is no exchange rate, come last.
 */
function byPrice({ filter, terms, sort, rates }: OrderedQuery, values: unknown[]): string {
  const direction = sort === 'price_asc' ? '' : ' DESC'
  const hasTerms = andTerms(terms, values)
  const streams = filterParts(filter, values).map(
    (condition) => `(SELECT post_id, stamp, price_atomic, ${nanoPrice(values, rates)} AS raw FROM catalog
      WHERE ${condition}${hasTerms} ORDER BY price_atomic${direction}, post_id${direction} LIMIT $1::int + $2::int)`,
  )
  if (streams.length === 0) return 'SELECT post_id, stamp FROM catalog WHERE false LIMIT $1 OFFSET $2'
  return `SELECT post_id, stamp FROM (${streams.join(' UNION ALL ')}) priced
    ORDER BY ${orders[sort]} LIMIT $1 OFFSET $2`
}
