import { attachmentNotFound, type lookUpAttachment as declared } from '@pennypost/contract/attachments'
import { postNotFound } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { attachmentResult } from './attachment-view.ts'
import { attachmentTarget } from './claim-attachment.ts'
import { findDetailsByRequestKey } from './operation-store.ts'
import type { Handler } from './services.ts'

export const lookUpAttachment: Handler<typeof declared> = async (services, { caller, params, query }) => {
  const { db, targets } = services
  if (!(await targets.findPost(db, caller.accountId, params.postId))) refuse(postNotFound)
  const target = attachmentTarget(caller.accountId, params.postId)
  const operation = (await findDetailsByRequestKey(db, target, query.requestKey)) ?? refuse(attachmentNotFound)
  return { status: 200, body: await attachmentResult(services, operation, true) }
}
