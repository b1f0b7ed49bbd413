import { facetTerm } from '../posts/catalog/search-terms.ts'
import type { CatalogFilter } from './catalog-filter.ts'

/** Lists of terms, each as one text with commas. A post matches if it has at least one term of each list. */
export type WantedTerms = readonly string[]

export const facetTerms = ({ facets }: CatalogFilter): WantedTerms => facets.map(facetTerm)

/** The condition as SQL, on the table `search_terms`. Values are appended to `values`. */
export function termsSql(wanted: WantedTerms, values: unknown[]): string {
  const isSeveral = (terms: string) => terms.includes(',')
  const single = wanted.filter((terms) => !isSeveral(terms)).join()
  const several = wanted.filter(isSeveral)
  // As text: the driver looks at each value of an array, and would put each between quotes.
  const arrayOf = (terms: string) => `$${values.push(`{${terms}}`)}::bigint[]`
  const conditions = [
    ...(single === '' ? [] : [`terms @> ${arrayOf(single)}`]),
    ...several.map((terms) => `terms && ${arrayOf(terms)}`),
  ]
  return conditions.join(' AND ') || 'true'
}

/**
 * The rows of the catalog that match a condition on `search_terms`, as `FROM …`. The planner knows neither what testing an
 * array costs nor how few posts have one of several words, and would rather test or join all posts. So the terms are asked
 * first and alone, and then the row of each hit.
 */
export const fromHits = (condition: string): string =>
  `(WITH hits AS MATERIALIZED (SELECT post_id FROM search_terms WHERE ${condition})
    SELECT entry.* FROM hits CROSS JOIN LATERAL (
      SELECT * FROM catalog WHERE catalog.post_id = hits.post_id OFFSET 0) entry) found`

const names = new Map<string, string>()
/** Searches of a few words have a few dozen different texts. */
const maxNames = 100

/** A search by its text: under a name, so that it is planned once, if it is one of the first hundred different ones. */
export function statementOf(text: string): { readonly text: string; readonly name?: string } {
  const known = names.get(text)
  if (known !== undefined) return { text, name: known }
  if (names.size >= maxNames) return { text }
  const name = `search-${names.size}`
  names.set(text, name)
  return { text, name }
}
