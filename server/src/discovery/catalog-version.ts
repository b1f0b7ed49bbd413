import type { CatalogQuery } from '@pennypost/contract/discovery'
import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import { singleFlight } from '../platform/single-flight.ts'

/** Two numbers that grow with the catalog. What was made at one of them is current while the number is the same. */
export interface CatalogVersion {
  /** Grows when posts come or go, or when what lists say about one changes. */
  readonly content: string
  /** Grows with the content, and when two posts change places because of what readers do. */
  readonly order: string
}

const version: Statement<CatalogVersion> = {
  name: 'catalog-versions',
  text: `SELECT coalesce(sum(posts) FILTER (WHERE facet = 'content'), 0)::text AS content,
      coalesce(sum(posts) FILTER (WHERE facet = 'version'), 0)::text AS order
    FROM catalog_counts WHERE facet IN ('content', 'version')`,
}

/** Reads the catalog's version. It includes everything that any process committed before the call. */
export function catalogVersion(pool: pg.Pool): () => Promise<CatalogVersion> {
  const questions = singleFlight()
  const ask = async () => (await readRows(pool, version, []))[0]!
  return () => questions.run('version', ask)
}

/** The number that a list in this order depends on. A crowd of readers changes only the orders that count readers. */
export const versionOf = ({ content, order }: CatalogVersion, sort: CatalogQuery['sort']): string =>
  sort === 'recommended' || sort === 'popular' ? order : content
