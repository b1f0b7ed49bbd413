import { type CommentSort, commentNotFound } from '@pennypost/contract/comments'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import { DateTime } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { pageOf, readCursor } from '../platform/cursor.ts'
import { refuse } from '../platform/http/refuse.ts'
import {
  type CommentRow,
  listCommentRows,
  listThreadRows,
  maxReactions,
  type ThreadPosition,
  type Viewer,
} from './comment-store.ts'
import { commentViews } from './comment-view.ts'
import { findDiscussedPost } from './discussed-post-store.ts'
import type { DiscussionServices } from './services.ts'

interface PageQuery {
  readonly postId: string
  readonly limit: number
  readonly threadRootId?: string | undefined
  readonly sort: CommentSort
  readonly cursor?: string | undefined
  readonly origin: string
}

const Moment = DateTime.transform((at) => new Date(at))

const ThreadCursor = z
  .tuple([z.int().min(0).max(maxReactions), Moment, Moment])
  .transform(([reactions, rootAt, at]): ThreadPosition => ({ reactions, rootAt, at }))

/** Reads a page of comments. A late page costs no more than the first. */
export async function readCommentPage(services: DiscussionServices, viewer: Viewer, query: PageQuery) {
  const { postId, origin } = query
  const readPage = pageReader(query)
  const post = (await findDiscussedPost(services.pool, postId)) ?? refuse(publicPostNotFound)
  const { rows, pagination } = await readPage(services, viewer)
  return {
    comments: await commentViews(services, rows, origin),
    commentPolicy: { commentsEnabled: post.comments_enabled, agentCommentsEnabled: post.agent_comments_enabled },
    pagination,
  }
}

/** How to read the page. Refuses a cursor of another order. */
function pageReader({ postId, limit, threadRootId, sort, cursor }: PageQuery) {
  if (sort === 'oldest' || threadRootId !== undefined) {
    const after = cursor === undefined ? undefined : readCursor(Moment, cursor)
    return async ({ pool }: DiscussionServices, viewer: Viewer) => {
      const found = await listCommentRows(pool, viewer, { postId, threadRootId, after, limit: limit + 1 })
      // A thread contains at least its root, so an empty first page means that there is no such thread.
      if (threadRootId && !after && found.length === 0) refuse(commentNotFound)
      return pageOf<CommentRow>(found, limit, (last) => last.created_at)
    }
  }
  const after = cursor === undefined ? undefined : readCursor(ThreadCursor, cursor)
  return async ({ pool }: DiscussionServices, viewer: Viewer) => {
    const found = await listThreadRows(pool, viewer, sort, { postId, after, limit: limit + 1 })
    return pageOf(found, limit, (last) => [last.root_reactions, last.root_at, last.created_at])
  }
}
