import { createReadStream } from 'node:fs'
import { type uploadAttachment as declared, reserveAttachment } from '@pennypost/contract/attachments'
import { validation } from '@pennypost/contract/errors'
import { checksumMismatch } from '@pennypost/contract/uploads'
import { refuse } from '../platform/http/refuse.ts'
import { attachmentResult } from './attachment-view.ts'
import { attachmentTarget, claimAttachment } from './claim-attachment.ts'
import { findOperationDetails } from './operation-store.ts'
import { receiveZip } from './receive-zip.ts'
import { withRecovery } from './recovery.ts'
import { readRevisionHeader } from './revision-header.ts'
import type { Handler } from './services.ts'

const { filename: Filename } = reserveAttachment.request.body.shape

/** Receives a ZIP as a single form, for clients of the first version of the API. */
export const uploadAttachment: Handler<typeof declared> = async (services, call) => {
  const { caller, params, headers, body, idempotencyKey } = call
  const { file, fields } = body
  const filename = Filename.safeParse(file.filename)
  if (!filename.success) {
    const message = 'must be a file name of 5 to 128 characters that ends in .zip'
    return refuse(validation, { errors: [{ field: 'file', code: 'invalid_name', message }] })
  }
  if (file.sizeBytes === 0)
    return refuse(validation, { errors: [{ field: 'file', code: 'too_small', message: 'must not be empty' }] })
  const intent = {
    filename: filename.data,
    description: fields.description ?? '',
    sizeBytes: file.sizeBytes,
    sha256: fields.sha256,
    isLegacy: true,
  }
  const target = attachmentTarget(caller.accountId, params.postId)
  const revision = readRevisionHeader(headers)
  const receive = async () => {
    if (file.sha256 !== fields.sha256) refuse(checksumMismatch)
    const claimed = await claimAttachment(services, target, idempotencyKey, intent, { revision })
    if (claimed.operation.state === 'receiving')
      await receiveZip(services, claimed.operation, createReadStream(file.path))
    return claimed
  }
  const asked = { isLegacy: true }
  const { operation, isNew } = await withRecovery(services.db, target, idempotencyKey, receive, asked)
  const seen = (await findOperationDetails(services.db, caller.accountId, operation.id))!
  return {
    status: 202,
    ...(!isNew && { headers: { 'x-idempotency-replay': 'true' } }),
    body: await attachmentResult(services, seen, !isNew),
  }
}
