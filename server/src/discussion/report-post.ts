import { publicPostNotFound } from '@pennypost/contract/discovery'
import type { reportPost as declared } from '@pennypost/contract/reports'
import { refuse } from '../platform/http/refuse.ts'
import { lockDiscussedPostShared } from './discussed-post-store.ts'
import { fileReport } from './file-report.ts'
import type { Handler } from './services.ts'

export const reportPost: Handler<typeof declared> = (services, { caller, params, body, idempotencyKey }) =>
  fileReport(services, {
    reporterId: caller.accountId,
    key: idempotencyKey,
    reason: body.reason,
    scope: `post ${params.postId}`,
    async find(tx) {
      const post = (await lockDiscussedPostShared(tx, params.postId)) ?? refuse(publicPostNotFound)
      return { post_id: post.id, comment_id: null }
    },
  })
