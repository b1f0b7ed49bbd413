import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import { type PersonRow, personColumns, personJoin } from './person-view.ts'

// A beginning is a range in collation "C": from itself up to itself with the last character there is. Each side reads a
// bounded stretch of its index, however many accounts there are. A name of 50 characters has at most 17 words of two
// letters, so 400 words hold the first twenty people of them, and ten remain when the first ten are known by handle.
const byPrefix: Statement<PersonRow> = {
  name: 'people-by-prefix',
  text: `WITH wanted AS (SELECT folded($1) COLLATE "C" AS low, folded($1) || U&'\\+10FFFF' COLLATE "C" AS high),
    by_handle AS (
      SELECT id, row_number() OVER (ORDER BY lower(handle) COLLATE "C") AS place FROM (
        SELECT id, handle FROM accounts, wanted
        WHERE lower(handle) COLLATE "C" >= low AND lower(handle) COLLATE "C" < high AND NOT is_anonymous
        ORDER BY lower(handle) COLLATE "C" LIMIT $2) found
    ), by_word AS (
      SELECT account_id AS id, 100 + row_number() OVER (ORDER BY word, account_id) AS place FROM (
        SELECT word, account_id FROM name_words, wanted WHERE word >= low AND word < high
        ORDER BY word, account_id LIMIT 400) found
    ), matched AS (
      SELECT id, min(place) AS place FROM (TABLE by_handle UNION ALL TABLE by_word) either GROUP BY id
    )
    SELECT ${personColumns} FROM matched ${personJoin('matched.id')}
    WHERE NOT person.is_anonymous ORDER BY matched.place LIMIT $2`,
}

const byHandle: Statement<PersonRow> = {
  name: 'person-by-handle',
  text: `SELECT ${personColumns} FROM accounts person LEFT JOIN profiles profile ON profile.account_id = person.id
    WHERE lower(person.handle) = lower($1) AND NOT person.is_anonymous`,
}

/** Handles first, in their order; then words of names in theirs. */
export const listPeopleByPrefix = (pool: pg.Pool, prefix: string, limit: number): Promise<PersonRow[]> =>
  readRows(pool, byPrefix, [prefix, limit])

export const listPeopleByHandle = (pool: pg.Pool, handle: string): Promise<PersonRow[]> =>
  readRows(pool, byHandle, [handle])
