import type pg from 'pg'
import { type PersonRow, personColumns, personJoin } from '../accounts/person-view.ts'
import { readRows, type Statement } from '../platform/database/database.ts'

// In collation "C" a prefix is a range, from the prefix itself to the prefix followed by the highest code point. Each
// part reads a bounded range of its index, however many accounts there are. A name of 50 characters has at most 17
// words of two letters, so 400 words belong to at least twenty people. That leaves ten even if ten of them already
// match by handle.
export const byPrefix: Statement<PersonRow> = {
  name: 'people-by-prefix',
  text: `WITH by_handle AS (
      SELECT id, lower(handle) COLLATE "C" AS handle FROM accounts
      WHERE lower(handle) COLLATE "C" >= folded($1) AND lower(handle) COLLATE "C" < folded($1) || U&'\\+10FFFF'
        AND NOT is_anonymous
      ORDER BY lower(handle) COLLATE "C" LIMIT $2
    ), by_word AS (
      SELECT account_id AS id, word FROM name_words WHERE word >= folded($1) AND word < folded($1) || U&'\\+10FFFF'
      ORDER BY word, account_id LIMIT 400
    ), matched AS (
      SELECT id, min(place) AS place FROM (
        SELECT id, row_number() OVER (ORDER BY handle) AS place FROM by_handle
        UNION ALL
        SELECT id, 100 + row_number() OVER (ORDER BY word, id) FROM by_word) either
      GROUP BY id ORDER BY place LIMIT $2
    )
    SELECT ${personColumns} FROM matched ${personJoin('matched.id')} ORDER BY matched.place`,
}

const byHandle: Statement<PersonRow> = {
  name: 'person-by-handle',
  text: `SELECT ${personColumns} FROM accounts person LEFT JOIN profiles profile ON profile.account_id = person.id
    WHERE lower(person.handle) = lower($1) AND NOT person.is_anonymous`,
}

/** Matches by handle first, in order of handle, then by words of the name, in order of word. */
export const listPeopleByPrefix = (pool: pg.Pool, prefix: string, limit: number): Promise<PersonRow[]> =>
  readRows(pool, byPrefix, [prefix, limit])

export const listPeopleByHandle = (pool: pg.Pool, handle: string): Promise<PersonRow[]> =>
  readRows(pool, byHandle, [handle])
