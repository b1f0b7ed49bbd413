import type { reserveAttachment as declared } from '@pennypost/contract/attachments'
import type { Handler } from '../services.ts'
import { attachmentResult } from './attachment-view.ts'
import { attachmentTarget, claimAttachment } from './claim-attachment.ts'
import { givenRevision } from './given-revision.ts'
import { seeOperation } from './operation-store.ts'
import { withRecovery } from './recovery.ts'

export const reserveAttachment: Handler<typeof declared> = async (services, call) => {
  const { caller, params, headers, body, idempotencyKey } = call
  const target = attachmentTarget(caller.accountId, params.postId)
  const intent = { ...body, description: body.description ?? '', isLegacy: false }
  const revision = givenRevision(headers)
  const { operation, isNew } = await withRecovery(services.db, target, idempotencyKey, () =>
    claimAttachment(services, target, idempotencyKey, intent, revision),
  )
  const seen = (await seeOperation(services.db, caller.accountId, operation.id))!
  return {
    status: 202,
    ...(!isNew && { headers: { 'x-idempotency-replay': 'true' } }),
    body: await attachmentResult(services, seen, !isNew),
  }
}
