import { attachmentState, type transportAttachment as declared, partBytes } from '@pennypost/contract/attachments'
import { validation } from '@pennypost/contract/errors'
import type { Transfer } from '@pennypost/contract/owned-attachment'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { attachmentResult } from './attachment-view.ts'
import { requireLiveAttachment } from './live-attachment.ts'
import { findOperationDetails, lockOperation, type Operation } from './operation-store.ts'
import { issueCapability } from './part-capability.ts'
import { authorizePart, listParts, type Part } from './part-store.ts'
import { readOperation } from './read-operation.ts'
import type { Handler, UploadServices } from './services.ts'

export const transportAttachment: Handler<typeof declared> = async (services, { caller, params, body, origin }) => {
  const { db } = services
  const { operation, attachment } = await requireLiveAttachment(services, caller.accountId, params)
  const { partNumber } = body
  if (attachment.is_legacy && partNumber !== undefined)
    refuse(attachmentState, {}, { detail: 'This ZIP file is sent as a single form, not in parts.' })
  const transfer =
    partNumber === undefined
      ? null
      : await db.transaction().execute((tx) => authorize(tx, services, operation, partNumber))
  if (partNumber === undefined) await readOperation(services, caller.accountId, operation.id, origin)
  const seen = (await findOperationDetails(db, caller.accountId, operation.id))!
  return { status: 200, body: { ...(await attachmentResult(services, seen)), transfer } }
}

/** Authorizes the transfer of one part. Returns null if the part is already stored. */
async function authorize(
  tx: Tx,
  services: UploadServices,
  { id }: Operation,
  number: number,
): Promise<Transfer | null> {
  const operation = await lockOperation(tx, id)
  const parts = await listParts(tx, [id])
  const wanted = parts.find((part) => part.number === number)
  if (!wanted) {
    const message = `must be between 1 and ${parts.length}`
    return refuse(validation, { errors: [{ field: 'partNumber', code: 'invalid_value', message }] })
  }
  if (wanted.state === 'stored') return null
  if (operation?.state !== 'receiving') return refuse(attachmentState)
  if (parts.some((part) => part.number < number && part.state !== 'stored'))
    refuse(attachmentState, {}, { detail: 'Send the parts in order: an earlier part is not stored yet.' })
  return transferOf(services, (await authorizePart(tx, id, number))!)
}

function transferOf({ secrets, clock, config, origins }: UploadServices, part: Part): Transfer {
  const { capability, expiresAt } = issueCapability(secrets, part, clock.now())
  const relay = config.uploadRelayUrl ?? origins.base
  return {
    partNumber: part.number,
    offset: (part.number - 1) * partBytes,
    length: part.length,
    method: 'PUT',
    url: `${relay}/functions/v1/upload-post-attachment-part?operation=${part.operation_id}&part=${part.number}`,
    headers: { 'x-part-capability': capability },
    expiresAt: expiresAt.toISOString(),
  }
}
