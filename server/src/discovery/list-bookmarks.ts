import type { listBookmarks as declared } from '@pennypost/contract/bookmarks'
import { pageOf, readCursor, TimePosition } from '../platform/cursor.ts'
import { listSaved } from './bookmark-store.ts'
import { readPosts } from './card-store.ts'
import { authorView, postSummary } from './post-summary.ts'
import type { Handler } from './services.ts'

export const listBookmarks: Handler<typeof declared> = async (services, { caller, query, origin }) => {
  const { pool } = services
  const after = query.cursor === undefined ? undefined : readCursor(TimePosition, query.cursor)
  const found = await listSaved(pool, caller.accountId, after, query.limit + 1)
  const { rows, pagination } = pageOf(found, query.limit, (last) => [last.created_at.toISOString(), last.post_id])
  const savedAt = new Map(rows.map((row) => [row.post_id, row.created_at.toISOString()]))
  const posts = await readPosts(pool, rows)
  const data = posts.map((post) => ({
    ...postSummary(services, post, origin),
    author: authorView(post, post.name, origin),
    publishedAt: post.published_at.toISOString(),
    bookmarkedAt: savedAt.get(post.id)!,
  }))
  return { status: 200, body: { data, nextCursor: pagination.nextCursor } }
}
