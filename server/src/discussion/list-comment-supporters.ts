import { commentNotFound } from '@pennypost/contract/comments'
import type { listCommentSupporters as declared } from '@pennypost/contract/tips'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { isPublicComment } from './comment-store.ts'

/** Nobody can tip yet: whoever builds tips reads them here. */
export const listCommentSupporters: Handler<typeof declared> = async ({ pool }, { params }) => {
  if (!(await isPublicComment(pool, params.commentId, params.postId))) refuse(commentNotFound)
  return { status: 200, body: [] }
}
