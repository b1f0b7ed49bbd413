import { readRows, type Statement } from '../platform/database/database.ts'
import { facetTerm } from '../posts/catalog/terms.ts'
import type { Services } from '../services.ts'
import { type CatalogFilter, priceSql } from './catalog-filter.ts'

const facetCount: Statement<{ posts: number }> = {
  name: 'catalog-facet-count',
  text: 'SELECT coalesce(sum(posts), 0)::int AS posts FROM catalog_counts WHERE facet = $1',
}

/** Beyond this nobody can page, so nobody counts. */
const enough = 48_001

/** How many Posts a filter lets through, exactly as far as anybody can page. One facet is kept counted. */
export async function countCatalog(
  { pool, searchPool }: Pick<Services, 'pool' | 'searchPool'>,
  filter: CatalogFilter,
): Promise<number> {
  const { facets, prices } = filter
  if (facets.length <= 1 && !prices) return (await readRows(pool, facetCount, [facets[0] ?? 'all']))[0]!.posts
  const values: unknown[] = []
  const has = facets.length > 0 ? `terms @> $${values.push(facets.map(facetTerm))}::bigint[]` : 'true'
  const text = `SELECT count(*)::int AS posts FROM (SELECT FROM catalog WHERE ${has}${priceSql(filter, values)} LIMIT ${enough}) counted`
  const { rows } = await (facets.length > 0 ? searchPool : pool).query<{ posts: number }>(text, values)
  return rows[0]!.posts
}
