import type { listImportedPosts as declared } from '@pennypost/contract/imports'
import { canonicalPostPath } from '@pennypost/site/paths'
import { sql } from 'kysely'
import { z } from 'zod'
import { pageOf, readCursor } from '../platform/cursor.ts'
import { redirectsOf } from './old-path-store.ts'
import { presentFiles } from './present-files.ts'
import type { Handler } from './services.ts'

interface Row {
  readonly source_id: string
  readonly fingerprint: string | null
  readonly post_id: string
  readonly status: 'draft' | 'published' | 'withdrawn'
  readonly slug: string
  readonly imported_at: Date
}

// PostgreSQL refuses a text with NUL.
const Position = z.tuple([
  z
    .string()
    .max(300)
    .regex(/^[^\0]*$/),
])

export const listImportedPosts: Handler<typeof declared> = async ({ db }, { caller, query }) => {
  const [after] = query.cursor === undefined ? [''] : readCursor(Position, query.cursor)
  const found = await sql<Row>`
    SELECT imported.source_id, imported.fingerprint, imported.post_id, posts.status, posts.slug, imported.imported_at
    FROM imported_posts imported JOIN posts ON posts.id = imported.post_id
    WHERE imported.account_id = ${caller.accountId} AND imported.source_id > ${after}
    ORDER BY imported.source_id LIMIT ${query.limit + 1}`.execute(db)
  const { rows, pagination } = pageOf(found.rows, query.limit, ({ source_id }) => [source_id])
  const ids = rows.map(({ post_id }) => post_id)
  const { handle } = caller.account
  const [files, redirects] = await Promise.all([presentFiles(db, ids), redirectsOf(db, ids, handle)])
  const data = rows.map(({ source_id, fingerprint, post_id, status, slug, imported_at }) => ({
    sourceId: source_id,
    fingerprint,
    postId: post_id,
    status,
    slug,
    pagePath: canonicalPostPath({ id: post_id, handle, slug }),
    importedAt: imported_at.toISOString(),
    redirects: redirects.get(post_id)!,
    files: files.get(post_id)!,
  }))
  return { status: 200, body: { data, nextCursor: pagination.nextCursor } }
}
