import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { sharedWorld } from '../../test/world.ts'
import { countWords } from './count-words.ts'

const texts = [
  '',
  ' \t\n',
  'one two  three',
  'A hyphen-word, and - none. 3.5 %',
  'snake_case __ `code` “quoted” … ‘it’s’ — dash',
  'no\u00a0break em\u2003space line\u2028end',
  '日本語の文章。 mixed 日本 and한국어',
  'émigré čeština русский नमस्ते ไทย',
  '😀 😀😀 e\u0301',
  '（全角）！ ｗｉｄｅ',
  '10\u00a0000 mots\u202f! one\u0085two\u2007three',
]

test('words are counted as in the database, which counts those of a post that an older version publishes', async (t) => {
  const { pool } = (await sharedWorld(t)).services
  // In "C" only the spaces of ASCII are spaces. External databases have locales of many kinds.
  for (const collation of ['default', 'C']) {
    const { rows } = await pool.query<{ words: number }>(
      `SELECT count_words(given COLLATE "${collation}") AS words
        FROM unnest($1::text[]) WITH ORDINALITY AS text (given, place) ORDER BY place`,
      [texts],
    )
    deepEqual(
      texts.map(countWords),
      rows.map(({ words }) => words),
      collation,
    )
  }
})
