import { attachmentSafetyUnavailable } from '@pennypost/contract/attachments'
import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { refuse } from '../platform/http/refuse.ts'
import type { AttachmentRow } from './attachment-store.ts'
import { isHeld, type Operation } from './operation-store.ts'
import { readStoredObject } from './read-stored-object.ts'
import type { UploadServices } from './services.ts'

/**
 * Replies with the exact bytes of a ZIP. The caller has checked that the reader may have it. A ZIP that is held or not
 * cleared is refused; one that was removed from its post is still served to those who bought it.
 */
export async function zipReply({ db, files, log }: UploadServices, attachment: AttachmentRow, operation: Operation) {
  const isThere = attachment.state === 'ready' || attachment.retention_reason !== null
  const isSafe = operation.state === 'cleared' && !(await isHeld(db, operation.id))
  if (!isThere || !isSafe || operation.received_key === null) return refuse(attachmentSafetyUnavailable)
  const body = await readStoredObject({ files, log }, operation.received_key)
  if (!body) {
    log.error({ operationId: operation.id }, 'ZIP is missing from the object store')
    return refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 60 })
  }
  const headers = {
    'content-length': operation.size_bytes,
    'content-disposition': contentDisposition(attachment.filename),
    'cache-control': 'private, no-store',
  }
  return { status: 200 as const, headers, body }
}

/**
 * Writes a file name as RFC 6266 describes it: an ASCII version for old programs and the real name in UTF-8. The ASCII
 * version has no quotes, which would end it, and no percent signs, which some programs decode.
 */
export function contentDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
