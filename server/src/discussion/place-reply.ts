import { commentDeleted } from '@pennypost/contract/comments'
import { validation } from '@pennypost/contract/errors'
import { refuse } from '../platform/http/refuse.ts'
import type { ThreadComment } from './append-store.ts'

export interface ReplyRequest {
  readonly parentCommentId: string
  readonly replyTargetCommentId: string | null
}

/**
 * Decides where a reply goes in its thread. `comments` are the comments of the post that the request names. Threads have
 * two levels, so the stored parent is always the root. If the request names a reply as the parent, that reply is the
 * target.
 */
export function placeReply(request: ReplyRequest, comments: readonly ThreadComment[]) {
  const find = (field: keyof ReplyRequest, id: string) =>
    comments.find((comment) => comment.id === id) ?? refuseField(field, 'not_found', 'is not a comment on this post')
  const parent = find('parentCommentId', request.parentCommentId)
  const target = request.replyTargetCommentId ? find('replyTargetCommentId', request.replyTargetCommentId) : parent
  if (target.thread_root_id !== parent.thread_root_id) {
    refuseField('replyTargetCommentId', 'other_thread', 'must be in the same thread as the parent')
  }
  if (target.deleted_at) refuse(commentDeleted, {}, { detail: 'You cannot reply to a deleted comment.' })
  return { threadRootId: parent.thread_root_id, replyTargetId: target.id }
}

const refuseField = (field: string, code: string, message: string): never =>
  refuse(validation, { errors: [{ field, code, message }] })
