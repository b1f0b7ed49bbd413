import type pg from 'pg'
import type { Statement } from '../platform/database/database.ts'

// Tests that a query scales count the rows it reads, because its running time varies too much.

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** How many rows a statement read, over all its tables. */
export async function rowsRead<Row extends pg.QueryResultRow>(
  on: pg.Pool | pg.Client,
  statement: Statement<Row>,
  values: unknown[],
): Promise<number> {
  return (await readsOf(on, statement, values)).reduce((sum, { rows }) => sum + rows, 0)
}

/** How many rows each scan of a statement read, for the message of a test that fails. */
export async function readsOf<Row extends pg.QueryResultRow>(
  on: pg.Pool | pg.Client,
  statement: Statement<Row>,
  values: unknown[],
): Promise<{ readonly scan: string; readonly rows: number }[]> {
  const { rows } = await on.query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${statement.text}`, values)
  const perLoop = (node: Plan) =>
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan)
    .filter((node) => node['Node Type'].endsWith('Scan') && node['Relation Name'])
    .map((node) => ({ scan: scanOf(node), rows: perLoop(node) * node['Actual Loops'] }))
}

const scanOf = (node: Plan): string => `${node['Node Type']} ${node['Relation Name']}`

/** How a statement reads its tables: the kind of each scan, and its table. */
export async function scansOf(on: pg.Pool | pg.Client, text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await on.query(`EXPLAIN (FORMAT JSON) ${text}`, values)
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan)
    .filter((node) => node['Relation Name'])
    .map(scanOf)
}
