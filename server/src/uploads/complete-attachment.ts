import { attachmentState, type completeAttachment as declared } from '@pennypost/contract/attachments'
import { checksumMismatch } from '@pennypost/contract/uploads'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler, Services } from '../services.ts'
import { attachmentResult } from './attachment-view.ts'
import { seeOperation } from './operation-store.ts'
import { readLiveZip } from './own-attachment.ts'
import { listParts, type Part } from './part-store.ts'
import { readOperation } from './read-operation.ts'
import { receiveZip } from './receive-zip.ts'

export const completeAttachment: Handler<typeof declared> = async (services, { caller, params, origin }) => {
  const { db } = services
  const { operation, attachment } = await readLiveZip(services, caller.accountId, params)
  if (operation.state === 'failed' && operation.last_error === 'checksum-mismatch') refuse(checksumMismatch)
  if (operation.state === 'receiving') {
    const parts = await listParts(db, [operation.id])
    if (attachment.is_legacy || parts.some(({ state }) => state !== 'stored'))
      refuse(attachmentState, {}, { detail: 'Not all parts are stored yet.' })
    await receiveZip(services, operation, bytesOf(services, parts))
  }
  await readOperation(services, caller.accountId, operation.id, origin)
  const seen = (await seeOperation(db, caller.accountId, operation.id))!
  return { status: 200, body: await attachmentResult(services, seen) }
}

async function* bytesOf({ files }: Services, parts: readonly Part[]): AsyncIterable<Uint8Array> {
  for (const { object_key: key } of parts) {
    const bytes = key === null ? undefined : await files.read(key)
    if (!bytes) throw new Error('a stored part is missing')
    yield* bytes
  }
}
