import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Db, Tx } from '../../platform/database/database.ts'
import { entriesAtMost } from '../../platform/entries-at-most.ts'

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

/** Stems that were found before, by stemmer and word. They never change. */
const known = new LRUCache<string, string>(entriesAtMost(20_000))
const nameOf = (stemmer: string, word: string) => `${stemmer} ${word}`

/** Finds the stems of words in each of these languages. Most words of a text are in others, too, so few are asked for. */
export async function stemWords(db: Db | Tx, stemmers: readonly string[], words: readonly string[]): Promise<Stems[]> {
  const all = stemmers.map((stemmer) => ({ stemmer, byWord: new Map<string, string>() }))
  const unknown = words.filter((word) => {
    for (const { stemmer, byWord } of all) byWord.set(word, known.get(nameOf(stemmer, word)) ?? '')
    return all.some(({ byWord }) => byWord.get(word) === '')
  })
  for (let start = 0; start < unknown.length; start += slice) {
    const part = unknown.slice(start, start + slice)
    const found = await askForStems(db, stemmers, part)
    for (const { stemmer, byWord } of all)
      for (const [index, stem] of found.get(stemmer)!.entries()) {
        byWord.set(part[index]!, stem)
        known.set(nameOf(stemmer, part[index]!), stem)
      }
  }
  return all
}

/** A word that a dictionary leaves out, such as "the", is its own stem. */
async function askForStems(
  db: Db | Tx,
  stemmers: readonly string[],
  words: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const { rows } = await sql<{ stemmer: string; stems: string[] }>`
    SELECT stemmer, json_agg(coalesce((ts_lexize(dictionary, word))[1], word) ORDER BY position) AS stems
    FROM (SELECT stemmer, ('pg_catalog.' || stemmer || '_stem')::regdictionary AS dictionary
      FROM unnest(${stemmers}::text[]) stemmer OFFSET 0) stemmers
    CROSS JOIN unnest(${words}::text[]) WITH ORDINALITY given(word, position) GROUP BY stemmer`.execute(db)
  return new Map(rows.map(({ stemmer, stems }) => [stemmer, stems]))
}
