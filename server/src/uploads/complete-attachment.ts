import {
  attachmentInFlight,
  attachmentState,
  type completeAttachment as declared,
  uploadUnconfirmed,
} from '@pennypost/contract/attachments'
import { checksumMismatch } from '@pennypost/contract/uploads'
import { refuse } from '../platform/http/refuse.ts'
import { attachmentResult } from './attachment-view.ts'
import { requireLiveAttachment } from './live-attachment.ts'
import { requireKnownObjectStore } from './object-store-identity.ts'
import { findOperationDetails, lockOperation, type Operation } from './operation-store.ts'
import { listParts, type Part, resetLostParts } from './part-store.ts'
import { readOperation } from './read-operation.ts'
import { receiveZip } from './receive-zip.ts'
import type { Handler, UploadServices } from './services.ts'

export const completeAttachment: Handler<typeof declared> = async (services, { caller, params, origin }) => {
  const { db } = services
  const { operation, attachment } = await requireLiveAttachment(services, caller.accountId, params)
  if (operation.state === 'failed' && operation.last_error === 'checksum-mismatch') refuse(checksumMismatch)
  if (operation.state === 'receiving') {
    const parts = await listParts(db, [operation.id])
    // An authorized part may be on its way right now.
    if (parts.some(({ state }) => state === 'authorized')) {
      const { attachment: owned } = await attachmentResult(services, operation)
      refuse(attachmentInFlight, { attachment: owned })
    }
    if (attachment.is_legacy || parts.some(({ state }) => state !== 'stored'))
      refuse(attachmentState, {}, { detail: 'Not all parts are stored yet.' })
    await requireParts(services, operation, parts)
    await receiveZip(services, operation, bytesOf(services, parts))
  }
  await readOperation(services, caller.accountId, operation.id, origin)
  const seen = (await findOperationDetails(db, caller.accountId, operation.id))!
  return { status: 200, body: await attachmentResult(services, seen) }
}

/** Refuses if the object store has lost a part. Only the lost parts have to be sent again. */
async function requireParts(services: UploadServices, operation: Operation, parts: readonly Part[]): Promise<void> {
  const { db, log } = services
  const lost = await listLost(services, parts).catch((error: Error) => {
    log.warn({ operationId: operation.id, cause: error.message }, 'could not check stored parts')
    return refuse(uploadUnconfirmed, {}, { retryAfterSeconds: 5 })
  })
  if (lost.length === 0) return
  log.error({ operationId: operation.id, keys: lost }, 'stored parts are missing')
  await db.transaction().execute(async (tx) => {
    if ((await lockOperation(tx, operation.id))?.state === 'receiving') await resetLostParts(tx, operation.id, lost)
  })
  refuse(attachmentState, {}, { detail: 'A stored part was lost. Please send it again.' })
}

async function listLost(services: UploadServices, parts: readonly Part[]): Promise<string[]> {
  const lost: string[] = []
  for (const { object_key: key } of parts)
    if (key !== null && (await services.files.sizeOf(key)) === undefined) lost.push(key)
  if (lost.length > 0) await requireKnownObjectStore(services)
  return lost
}

async function* bytesOf({ files }: UploadServices, parts: readonly Part[]): AsyncIterable<Uint8Array> {
  for (const { object_key: key } of parts) {
    const bytes = key === null ? undefined : await files.read(key)
    if (!bytes) throw new Error('a stored part is missing')
    yield* bytes
  }
}
