import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'

const version: Statement<{ version: string }> = {
  name: 'catalog-version',
  text: `SELECT coalesce(sum(posts), 0)::text AS version FROM catalog_counts WHERE facet = 'version'`,
}

/**
 * Tells the catalog's version: what was committed before the question is in the answer, in whatever process. Callers
 * that come while a question is under way share the next one, so that a busy moment asks as often as a quiet one.
 */
export function catalogVersion(pool: pg.Pool): () => Promise<string> {
  let underWay: Promise<string> | undefined
  let next: Promise<string> | undefined
  const ask = () => {
    const asked: Promise<string> = readRows(pool, version, []).then(([row]) => row!.version)
    underWay = asked
    const done = () => {
      if (underWay === asked) underWay = undefined
    }
    asked.then(done, done)
    return asked
  }
  return () => {
    if (!underWay) return ask()
    // What is under way may have been answered already by the time our caller's change was committed.
    next ??= underWay
      .catch(() => {})
      .then(() => {
        next = undefined
        return ask()
      })
    return next
  }
}
