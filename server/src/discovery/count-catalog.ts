import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import { facetTerm } from '../posts/catalog/search-terms.ts'
import { type CatalogFilter, filterSql } from './catalog-filter.ts'
import type { DiscoveryServices } from './services.ts'

const facetCount: Statement<{ posts: number }> = {
  name: 'catalog-facet-count',
  text: 'SELECT coalesce(sum(posts), 0)::int AS posts FROM catalog_counts WHERE facet = $1',
}

/** Nobody can page beyond this, so counting stops here. */
export const maxCounted = 48_001

/** How many posts match a filter, exact as far as one can page. Counts of single facets are maintained in a table. */
export async function countCatalog(
  { pool, searchPool }: Pick<DiscoveryServices, 'pool' | 'searchPool'>,
  filter: CatalogFilter,
): Promise<number> {
  const { facets, prices } = filter
  if (facets.length <= 1 && !prices) return (await readRows(pool, facetCount, [facets[0] ?? 'all']))[0]!.posts
  const values: unknown[] = []
  const ask = async (db: pg.Pool, text: string) => (await db.query<{ posts: number }>(text, values)).rows[0]!.posts
  if (!prices) {
    const has = `terms @> $${values.push(facets.map(facetTerm))}::bigint[]`
    return ask(
      searchPool,
      `SELECT count(*)::int AS posts FROM (SELECT FROM search_terms WHERE ${has} LIMIT ${maxCounted}) counted`,
    )
  }
  // As one condition, so that the planner chooses between the table and the price index.
  const text = `SELECT count(*)::int AS posts FROM (SELECT FROM catalog WHERE true${filterSql(filter, values)} LIMIT ${maxCounted}) counted`
  return ask(pool, text)
}
