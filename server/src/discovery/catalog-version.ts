import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import { singleFlight } from '../platform/single-flight.ts'

const version: Statement<{ version: string }> = {
  name: 'catalog-version',
  text: `SELECT coalesce(sum(posts), 0)::text AS version FROM catalog_counts WHERE facet = 'version'`,
}

/** Tells the catalog's version: what was committed before the question is in the answer, in whatever process. */
export function catalogVersion(pool: pg.Pool): () => Promise<string> {
  const questions = singleFlight()
  const ask = async () => (await readRows(pool, version, []))[0]!.version
  return () => questions.run('version', ask)
}
