import { attachmentSafetyUnavailable } from '@pennypost/contract/attachments'
import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { refuse } from '../platform/http/refuse.ts'
import type { AttachmentRow } from './attachment-store.ts'
import { isHeld, type Operation } from './operation-store.ts'
import { readStoredObject } from './read-stored-object.ts'
import type { UploadServices } from './services.ts'

/**
 * The exact bytes of a ZIP, for somebody who may have them. What is not cleared, or held, nobody gets; what was taken
 * off its Post stays there for those who bought it.
 */
export async function zipReply({ db, files, log }: UploadServices, attachment: AttachmentRow, operation: Operation) {
  const isThere = attachment.state === 'ready' || attachment.retention_reason !== null
  const isSafe = operation.state === 'cleared' && !(await isHeld(db, operation.id))
  if (!isThere || !isSafe || operation.received_key === null) return refuse(attachmentSafetyUnavailable)
  const body = await readStoredObject({ files, log }, operation.received_key)
  if (!body) {
    log.error({ operationId: operation.id }, 'the bytes of a ZIP are missing')
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
 * RFC 6266: plain ASCII for old programs, the real name beside it. In the plain one quotes would end it, and some programs
 * decode what follows a percent sign.
 */
export function contentDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
