import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { type Scope, withScope } from './audit-scope.ts'

/** One line that names what is wrong. */
export type Finding = string

/** A query that finds nothing where the books are right. Its rows name what is wrong. */
export interface Check {
  readonly says: string
  readonly query: string
}

/** A database that is damaged everywhere would have a finding for every row. */
const maxFindingsOfCheck = 1_000

/** Checks that run at the same time, each on a connection and a core of the database. */
const concurrency = 3

export async function runChecks(db: Db, run: readonly Check[], scope: Scope, now: Date): Promise<Finding[]> {
  const found: Finding[][] = []
  const waiting = [...run.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [place, { says, query }] = next
      const text = withScope(scope, query).replace('$1::timestamptz', `'${now.toISOString()}'::timestamptz`)
      const { rows } = await sql.raw<{ name: string }>(`${text} LIMIT ${maxFindingsOfCheck}`).execute(db)
      found[place] = rows.map(({ name }) => says.replace('%s', name))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return found.flat()
}
