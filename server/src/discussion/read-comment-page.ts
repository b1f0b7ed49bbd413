import { commentNotFound } from '@pennypost/contract/comments'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import { DateTime } from '@pennypost/contract/schemas'
import { pageOf, readCursor } from '../platform/cursor.ts'
import { refuse } from '../platform/http/refuse.ts'
import { listCommentRows, type Viewer } from './comment-store.ts'
import { commentViews } from './comment-view.ts'
import { findDiscussedPost } from './discussed-post-store.ts'
import type { DiscussionServices } from './services.ts'

interface PageQuery {
  readonly postId: string
  readonly limit: number
  readonly threadRootId?: string | undefined
  readonly cursor?: string | undefined
  readonly origin: string
}

/** Reads a page of comments. A late page costs no more than the first. */
export async function readCommentPage(services: DiscussionServices, viewer: Viewer, query: PageQuery) {
  const { postId, limit, threadRootId, cursor, origin } = query
  const after = cursor === undefined ? undefined : new Date(readCursor(DateTime, cursor))
  const post = (await findDiscussedPost(services.pool, postId)) ?? refuse(publicPostNotFound)
  const found = await listCommentRows(services.pool, viewer, { postId, threadRootId, after, limit: limit + 1 })
  // A thread contains at least its root, so an empty first page means that there is no such thread.
  if (threadRootId && !after && found.length === 0) refuse(commentNotFound)
  const { rows, pagination } = pageOf(found, limit, (last) => last.created_at)
  return {
    comments: await commentViews(services, rows, origin),
    commentPolicy: { commentsEnabled: post.comments_enabled, agentCommentsEnabled: post.agent_comments_enabled },
    pagination,
  }
}
