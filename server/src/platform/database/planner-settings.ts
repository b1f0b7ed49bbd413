import type pg from 'pg'
import type { Log } from '../log.ts'

/**
 * The planner settings of the embedded database, with which our queries were measured. `jit` matters most: with PostgreSQL's
 * default, a page of two milliseconds took fifty, of which 48 compiled the query again.
 */
export const plannerSettings: Readonly<Record<string, string>> = {
  jit: 'off',
  random_page_cost: '1.1',
  work_mem: '8MB',
}

/**
 * Makes these settings the defaults of our role in this database, so that they also hold behind a pooler and on standbys.
 * Settings of the operator stay. Connections that are open already keep what they have.
 */
export async function savePlannerSettings(client: pg.Client, log: Log, settings = plannerSettings): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('ALTER ROLE CURRENT_USER IN DATABASE %I SET %I = %L', current_database(), wanted.name, wanted.value) AS statement
     FROM json_each_text($1) AS wanted (name, value) JOIN pg_settings USING (name) WHERE pg_settings.source = 'default'`,
    [JSON.stringify(settings)],
  )
  for (const { statement } of rows) {
    try {
      await client.query(statement)
    } catch (error) {
      const cause = (error as Error).message
      log.warn({ statement, cause }, 'the database is slower than it could be: run this statement as its administrator')
    }
  }
}
