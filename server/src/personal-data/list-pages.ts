import type pg from 'pg'
import type { List } from './export-lists.ts'

const batchSize = 500

/** A JSON array with one line for each item, in the order of its time. It is read in pages, so memory does not grow with it. */
export async function* jsonArrayOf(pool: pg.Pool, list: List, accountId: string): AsyncGenerator<string> {
  const text = pageOf(list)
  let after = '-infinity|00000000-0000-0000-0000-000000000000'
  let separator = '[\n'
  for (;;) {
    const { rows } = await pool.query<{ key: string; item: string }>(text, [accountId, after, batchSize])
    if (rows.length > 0) yield separator + rows.map(({ item }) => item).join(',\n')
    if (rows.length < batchSize) {
      yield rows.length > 0 || separator !== '[\n' ? '\n]\n' : '[]\n'
      return
    }
    separator = ',\n'
    after = rows.at(-1)!.key
  }
}

/** Makes objects with `json` and not `jsonb`, because it keeps the order of the keys. */
function pageOf({ from, at, id, fields }: List): string {
  const pairs = Object.entries(fields).map(([name, value]) => `'${name}', ${value}`)
  return `SELECT ${at}::text || '|' || ${id} AS key, json_build_object(${pairs.join(', ')})::text AS item FROM ${from}
    AND (${at}, ${id}) > (split_part($2, '|', 1)::timestamptz, split_part($2, '|', 2)::uuid)
    ORDER BY ${at}, ${id} LIMIT $3`
}
