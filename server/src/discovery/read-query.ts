import { readRows, type Statement } from '../platform/database/database.ts'
import { lastWordOf, type QueryWord, queryWords, wordsToStem } from '../posts/catalog/search-terms.ts'
import { stemmerOf, stemWords } from '../posts/catalog/stemming.ts'
import type { CatalogVersion } from './catalog-version.ts'
import type { DiscoveryServices } from './services.ts'

type Services = Pick<DiscoveryServices, 'db' | 'pool' | 'discovery'>

/**
 * The words of a query, stemmed in every language that the catalog has posts in. The last one may also be the beginning of
 * a word.
 */
export async function readQuery(services: Services, version: CatalogVersion, query: string): Promise<QueryWord[]> {
  const last = lastWordOf(query)
  const [words, completions] = await Promise.all([
    readWholeWords(services, version, query),
    last === undefined
      ? []
      : services.discovery.wordCache.get(version.content, `completions ${last}`, () => complete(services, last)),
  ])
  return words.map((word) => (last !== undefined && word.keys[0] === last ? { ...word, completions } : word))
}

/** The same without completing the last word. */
export async function readWholeWords(
  { db, pool, discovery }: Services,
  version: CatalogVersion,
  query: string,
): Promise<QueryWord[]> {
  const wanted = wordsToStem(query)
  if (wanted.length === 0) return queryWords(query, [])
  const stemmers = await discovery.totalCache.get(version.content, 'stemmers', () => readStemmers(pool))
  return queryWords(query, await stemWords(db, stemmers, wanted))
}

const languagesOfPosts: Statement<{ language: string }> = {
  name: 'catalog-languages',
  text: `SELECT substr(facet, 10) AS language FROM catalog_counts
    WHERE facet >= 'language=' AND facet < 'language>' GROUP BY facet HAVING sum(posts) > 0`,
}

async function readStemmers(pool: Services['pool']): Promise<string[]> {
  const rows = await readRows(pool, languagesOfPosts, [])
  return [...new Set(rows.flatMap(({ language }) => stemmerOf(language) ?? []))]
}

/** Most longer words for the beginning of one, the shortest first; and how many are compared. Each makes a search slower. */
const maxCompletions = 20
const maxCompared = 5_000

const completions: Statement<{ key: string }> = {
  name: 'search-completions',
  text: `SELECT key FROM (SELECT word, key FROM search_words WHERE word > $1 AND word < $2 ORDER BY word LIMIT ${maxCompared}) found
    GROUP BY key ORDER BY min(length(word)), key LIMIT ${maxCompletions}`,
}

const lastCharacter = '\u{10ffff}'

const complete = async ({ pool }: Services, beginning: string): Promise<string[]> =>
  (await readRows(pool, completions, [beginning, beginning + lastCharacter])).map(({ key }) => key)
