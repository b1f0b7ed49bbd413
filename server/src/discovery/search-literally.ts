import type pg from 'pg'
import { facetTerm, literalTerms, queryGramsOf, wordsOf, wordTerms } from '../posts/catalog/terms.ts'
import { type CatalogFilter, priceSql } from './catalog-filter.ts'

/** More candidates than this are not looked into; the best come first. */
const mostCandidates = 5_000

interface Hit {
  readonly post_id: string
  readonly tier: number
}

/**
 * §4: a query with `%`, `_`, `/` or a backslash is looked for as it stands, ignoring case, inside one field. The index
 * finds Posts that have its signs and its inner words; the texts decide. Of the paid text only whole words count, or one
 * could spell it out letter by letter.
 */
export async function searchLiterally(pool: pg.Pool, query: string, filter: CatalogFilter): Promise<string[]> {
  const terms = [
    ...literalTerms(queryGramsOf(query)),
    ...wordTerms('whole', innerWords(query)),
    ...filter.facets.map(facetTerm),
  ]
  const values: unknown[] = [terms, query, wholeWords(query)]
  const { rows } = await pool.query<Hit>(
    `WITH candidates AS MATERIALIZED (
       SELECT post_id, score FROM catalog WHERE terms @> $1::bigint[]${priceSql(filter, values)}
       ORDER BY score DESC, post_id LIMIT ${mostCandidates}),
     looked AS (
       SELECT post_id, score, CASE
           WHEN strpos(lower(post.title), lower($2)) > 0 THEN 1
           WHEN strpos(lower(post.description), lower($2)) > 0 THEN 2
           WHEN strpos(lower(account.name), lower($2)) > 0 OR strpos(lower(account.handle), lower($2)) > 0 THEN 3
           WHEN strpos(lower(post.free_text), lower($2)) > 0 OR lower(post.paid_text) ~ lower($3) THEN 4
         END AS tier
       FROM candidates JOIN posts post ON post.id = candidates.post_id JOIN accounts account ON account.id = post.account_id)
     SELECT post_id, tier FROM looked WHERE tier IS NOT NULL ORDER BY tier, score DESC, post_id`,
    values,
  )
  return rows.map(({ post_id }) => post_id)
}

/** Words between the first and the last sign or space: those at the ends may be parts of longer ones. */
const innerWords = (query: string): string[] =>
  wordsOf(query.replace(/^[\p{L}\p{N}\p{M}]+/u, '').replace(/[\p{L}\p{N}\p{M}]+$/u, ''))

/** The query as an expression that matches it between whole words only. */
function wholeWords(query: string): string {
  const literal = query.replaceAll(/[^\p{L}\p{N}\p{M}\s]/gu, '\\$&')
  const isLetter = (letter: string | undefined) => letter !== undefined && /[\p{L}\p{N}\p{M}]/u.test(letter)
  const letters = [...query]
  return `${isLetter(letters[0]) ? '(^|[^[:alnum:]])' : ''}${literal}${isLetter(letters.at(-1)) ? '($|[^[:alnum:]])' : ''}`
}
