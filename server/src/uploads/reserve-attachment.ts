import type { reserveAttachment as declared } from '@pennypost/contract/attachments'
import { attachmentResult } from './attachment-view.ts'
import { attachmentTarget, claimAttachment } from './claim-attachment.ts'
import { findOperationDetails } from './operation-store.ts'
import { withRecovery } from './recovery.ts'
import { readRevisionHeader } from './revision-header.ts'
import type { Handler } from './services.ts'

export const reserveAttachment: Handler<typeof declared> = async (services, call) => {
  const { caller, params, headers, body, idempotencyKey } = call
  const target = attachmentTarget(caller.accountId, params.postId)
  const intent = { ...body, description: body.description ?? '', isLegacy: false }
  const revision = readRevisionHeader(headers)
  const { operation, isNew } = await withRecovery(services.db, target, idempotencyKey, () =>
    claimAttachment(services, target, idempotencyKey, intent, { revision }),
  )
  const seen = (await findOperationDetails(services.db, caller.accountId, operation.id))!
  return {
    status: 202,
    ...(!isNew && { headers: { 'x-idempotency-replay': 'true' } }),
    body: await attachmentResult(services, seen, !isNew),
  }
}
