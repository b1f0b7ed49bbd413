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

export async function runChecks(db: Db, run: readonly Check[], scope: Scope, now: Date): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { says, query } of run) {
    const text = withScope(scope, query).replace('$1::timestamptz', `'${now.toISOString()}'::timestamptz`)
    const { rows } = await sql.raw<{ name: string }>(`${text} LIMIT ${maxFindingsOfCheck}`).execute(db)
    findings.push(...rows.map(({ name }) => says.replace('%s', name)))
  }
  return findings
}
