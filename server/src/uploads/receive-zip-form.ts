import { createReadStream } from 'node:fs'
import type { ReceivedFile } from '@pennypost/contract/body'
import { checksumMismatch } from '@pennypost/contract/uploads'
import { refuse } from '../platform/http/refuse.ts'
import { attachmentResult } from './attachment-view.ts'
import { attachmentTarget, claimAttachment } from './claim-attachment.ts'
import { findOperationDetails } from './operation-store.ts'
import { receiveZip } from './receive-zip.ts'
import { withRecovery } from './recovery.ts'
import type { UploadServices } from './services.ts'

interface ZipForm {
  readonly accountId: string
  readonly postId: string
  readonly idempotencyKey: string
  readonly file: ReceivedFile
  readonly filename: string
  readonly fields: { readonly description?: string | undefined; readonly sha256: string }
  /** The revision or import that allows the upload. */
  readonly claim: Parameters<typeof claimAttachment>[4]
}

/** Receives a ZIP that came whole, as a single form. */
export async function receiveZipForm(services: UploadServices, form: ZipForm) {
  const { accountId, postId, idempotencyKey, file, filename, fields, claim } = form
  const { description = '', sha256 } = fields
  const intent = { filename, description, sizeBytes: file.sizeBytes, sha256, isLegacy: true }
  const target = attachmentTarget(accountId, postId)
  const receive = async () => {
    if (file.sha256 !== sha256) refuse(checksumMismatch)
    const claimed = await claimAttachment(services, target, idempotencyKey, intent, claim)
    if (claimed.operation.state === 'receiving')
      await receiveZip(services, claimed.operation, createReadStream(file.path))
    return claimed
  }
  const { operation, isNew } = await withRecovery(services.db, target, idempotencyKey, receive, { isLegacy: true })
  const seen = (await findOperationDetails(services.db, accountId, operation.id))!
  return {
    status: 202,
    ...(!isNew && { headers: { 'x-idempotency-replay': 'true' } }),
    body: await attachmentResult(services, seen, !isNew),
  } as const
}
