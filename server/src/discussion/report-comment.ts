import { commentDeleted, commentNotFound } from '@pennypost/contract/comments'
import type { reportComment as declared } from '@pennypost/contract/reports'
import { refuse } from '../platform/http/refuse.ts'
import { fileReport } from './file-report.ts'
import { lockComment } from './reaction-store.ts'
import type { Handler } from './services.ts'

export const reportComment: Handler<typeof declared> = (services, { caller, params, body, idempotencyKey }) =>
  fileReport(services, {
    reporterId: caller.accountId,
    key: idempotencyKey,
    reason: body.reason,
    scope: `comment ${params.commentId}`,
    async find(tx) {
      const comment = (await lockComment(tx, params.commentId)) ?? refuse(commentNotFound)
      if (comment.deleted_at) refuse(commentDeleted)
      return { post_id: comment.post_id, comment_id: params.commentId }
    },
  })
