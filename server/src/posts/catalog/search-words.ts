import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Tx } from '../../platform/database/database.ts'
import { entriesAtMost } from '../../platform/entries-at-most.ts'
import type { KeyedWord } from './search-terms.ts'

/**
 * A column that identifies this table. It changes when the table is emptied or restored, in another database, and when its
 * server starts with other files.
 */
export const wordsTable = `concat_ws(' ', (SELECT oid FROM pg_database WHERE datname = current_database()),
  pg_relation_filenode('search_words'), pg_postmaster_start_time())`

/**
 * Words that are in `search_words`, where none is ever deleted. Looking up those of a text takes a fifth of the time of a
 * publication.
 */
const known = { table: '', words: new LRUCache<string, true>(entriesAtMost(20_000)) }

/** Transactions that have added words. What they find may be their own, and gone if they fail. */
const adding = new WeakSet<Tx>()

/**
 * Saves words that searches are completed with. Most are known already. In one order, so that posts that are published at the
 * same time do not deadlock.
 */
export async function saveSearchWords(tx: Tx, table: string, pairs: readonly KeyedWord[]): Promise<void> {
  if (known.table !== table) known.words.clear()
  known.table = table
  const unknown = new Map<string, KeyedWord>()
  for (const pair of pairs) {
    const name = nameOf(pair)
    if (!known.words.get(name)) unknown.set(name, pair)
  }
  if (unknown.size === 0) return
  const names = [...unknown.keys()].sort()
  const added = new Set(
    (
      await addWords(
        tx,
        names.map((name) => unknown.get(name)!),
      )
    ).map(nameOf),
  )
  // While this waited, another database may have taken its place.
  if (!adding.has(tx) && known.table === table) {
    for (const name of names) if (!added.has(name)) known.words.set(name, true)
  }
  if (added.size > 0) adding.add(tx)
}

const nameOf = ([word, key]: KeyedWord): string => `${word} ${key}`

/** Joins words with line breaks. PostgreSQL reads one text several times as fast as an array of quoted ones. */
const lines = (texts: readonly string[]): string => texts.join('\n')

/** Returns the words that were not there. */
async function addWords(tx: Tx, pairs: readonly KeyedWord[]): Promise<KeyedWord[]> {
  const [words, keys] = [lines(pairs.map(([word]) => word)), lines(pairs.map(([, key]) => key))]
  const { rows } = await sql<{ word: string; key: string }>`
    INSERT INTO search_words (word, key)
    SELECT word, key FROM unnest(string_to_array(${words}, E'\n'), string_to_array(${keys}, E'\n'))
      WITH ORDINALITY AS found(word, key, position)
    WHERE NOT EXISTS (SELECT FROM search_words old WHERE old.word = found.word AND old.key = found.key)
    ORDER BY position ON CONFLICT DO NOTHING RETURNING word, key`.execute(tx)
  return rows.map(({ word, key }) => [word, key])
}
