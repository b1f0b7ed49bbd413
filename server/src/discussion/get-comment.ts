import { commentNotFound, type getComment as declared } from '@pennypost/contract/comments'
import { refuse } from '../platform/http/refuse.ts'
import { findVisibleComment } from './comment-store.ts'
import { commentViews } from './comment-view.ts'
import type { Handler } from './services.ts'

export const getComment: Handler<typeof declared> = async (services, { caller, params, origin }) => {
  const row = (await findVisibleComment(services.pool, caller.accountId, params.commentId)) ?? refuse(commentNotFound)
  const [comment] = await commentViews(services, [row], origin)
  return { status: 200, body: comment! }
}
