import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'

/** The Snowball stemmers of PostgreSQL, by language. Texts in other languages are not stemmed. */
const stemmers: Readonly<Record<string, string | undefined>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
}

/**
 * The stemmer for the language of a post, or undefined if there is none.
 * @example stemmerOf('en-GB') // 'english'
 */
export function stemmerOf(language: string | null): string | undefined {
  const [primary = ''] = (language ?? '').toLowerCase().split('-')
  return Object.hasOwn(stemmers, primary) ? stemmers[primary] : undefined
}

/** The stems of words in one language. */
export interface Stems {
  readonly stemmer: string
  readonly byWord: ReadonlyMap<string, string>
}

/** Words stemmed in one query, so that a long text does not block the process while its rows are read. */
const slice = 10_000

/** Finds the stems of words in each of these languages. */
export async function stemWords(db: Db | Tx, stemmers: readonly string[], words: readonly string[]): Promise<Stems[]> {
  const stems = new Map(stemmers.map((stemmer) => [stemmer, new Map<string, string>()]))
  for (let start = 0; start < words.length && stemmers.length > 0; start += slice) {
    // A word that a dictionary leaves out, such as "the", is its own stem.
    const part = words.slice(start, start + slice)
    const { rows } = await sql<{ stemmer: string; stems: string[] }>`
      SELECT stemmer, json_agg(coalesce((ts_lexize(dictionary, word))[1], word) ORDER BY position) AS stems
      FROM (SELECT stemmer, ('pg_catalog.' || stemmer || '_stem')::regdictionary AS dictionary
        FROM unnest(${stemmers}::text[]) stemmer OFFSET 0) stemmers
      CROSS JOIN unnest(${part}::text[]) WITH ORDINALITY given(word, position) GROUP BY stemmer`.execute(db)
    for (const { stemmer, stems: found } of rows) {
      const byWord = stems.get(stemmer)!
      for (const [index, word] of part.entries()) byWord.set(word, found[index]!)
    }
  }
  return stemmers.map((stemmer) => ({ stemmer, byWord: stems.get(stemmer)! }))
}
