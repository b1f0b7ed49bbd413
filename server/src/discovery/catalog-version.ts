import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import { singleFlight } from '../platform/single-flight.ts'

const version: Statement<{ version: string }> = {
  name: 'catalog-version',
  text: `SELECT coalesce(sum(posts), 0)::text AS version FROM catalog_counts WHERE facet = 'version'`,
}

/** Reads the catalog's version. It includes everything that any process committed before the call. */
export function catalogVersion(pool: pg.Pool): () => Promise<string> {
  const questions = singleFlight()
  const ask = async () => (await readRows(pool, version, []))[0]!.version
  return () => questions.run('version', ask)
}
