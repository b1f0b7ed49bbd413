import type { listFollowedPosts as declared } from '@pennypost/contract/followed-posts'
import { pageOf, readCursor, TimePosition } from '../platform/cursor.ts'
import { readPosts } from './card-store.ts'
import { listFollowed } from './followed-post-store.ts'
import { authorView, postSummary } from './post-summary.ts'
import type { Handler } from './services.ts'

export const listFollowedPosts: Handler<typeof declared> = async (services, { caller, query, origin }) => {
  const { pool } = services
  const after = query.cursor === undefined ? undefined : readCursor(TimePosition, query.cursor)
  const found = await listFollowed(pool, caller.accountId, after, query.limit + 1)
  const { rows, pagination } = pageOf(found, query.limit, (last) => [last.published_at.toISOString(), last.post_id])
  const posts = await readPosts(pool, rows)
  const data = posts.map((post) => ({
    ...postSummary(services, post, origin),
    author: authorView(post, post.name, origin),
    publishedAt: post.published_at.toISOString(),
  }))
  return { status: 200, body: { data, nextCursor: pagination.nextCursor } }
}
