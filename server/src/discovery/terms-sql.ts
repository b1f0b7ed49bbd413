import { facetTerm } from '../posts/catalog/search-terms.ts'
import type { CatalogFilter } from './catalog-filter.ts'

/** Lists of terms. A post matches if it has at least one term of each list. */
export type WantedTerms = readonly (readonly string[])[]

export const facetTerms = ({ facets }: CatalogFilter): WantedTerms => facets.map((facet) => [facetTerm(facet)])

/** The condition as SQL, for the index of terms. Values are appended to `values`. */
export function termsSql(wanted: WantedTerms, values: unknown[]): string {
  const single = wanted.filter((terms) => terms.length === 1).flat()
  const several = wanted.filter((terms) => terms.length > 1)
  const conditions = [
    ...(single.length > 0 ? [`terms @> $${values.push(single)}::bigint[]`] : []),
    ...several.map((terms) => `terms && $${values.push(terms)}::bigint[]`),
  ]
  return conditions.join(' AND ') || 'true'
}
