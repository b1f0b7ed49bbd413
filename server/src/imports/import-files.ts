import { reserveAttachment } from '@pennypost/contract/attachments'
import { invalidRequest, validation } from '@pennypost/contract/errors'
import { ImageKey, imageBytes, inlineImageBytes } from '@pennypost/contract/images'
import type { importAttachment as declaredAttachment, importImage as declaredImage } from '@pennypost/contract/imports'
import { postNotFound } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { receiveImage } from '../uploads/receive-image.ts'
import { receiveZipForm } from '../uploads/receive-zip-form.ts'
import type { Admission } from '../uploads/upload-limits.ts'
import { findImport, isImported, takeImportQuota } from './import-store.ts'
import type { Handler, ImportServices } from './services.ts'

const { filename: Filename } = reserveAttachment.request.body.shape

export const importImage: Handler<typeof declaredImage> = async (services, call) => {
  const { caller, params, query, body, idempotencyKey, ip, origin } = call
  const key = query.key === undefined ? '' : readKey(query.key)
  const kind = query.key === undefined ? 'og' : 'inline'
  return receiveImage(services, {
    target: { accountId: caller.accountId, kind, id: params.postId, key },
    requestKey: idempotencyKey,
    file: body.file,
    maxBytes: kind === 'inline' ? inlineImageBytes : imageBytes,
    admission: admissionOf(services, caller.accountId, params),
    ip,
    origin,
  })
}

export const importAttachment: Handler<typeof declaredAttachment> = async (services, call) => {
  const { caller, params, body, idempotencyKey } = call
  const { file, fields } = body
  const filename = Filename.safeParse(file.filename)
  if (!filename.success || file.sizeBytes === 0) {
    const message = 'must have a name of 5 to 128 characters that ends in .zip, and must not be empty'
    return refuse(validation, { errors: [{ field: 'file', code: 'invalid_file', message }] })
  }
  return receiveZipForm(services, {
    accountId: caller.accountId,
    postId: params.postId,
    idempotencyKey,
    file,
    filename: filename.data,
    fields,
    claim: { admission: admissionOf(services, caller.accountId, params) },
  })
}

/** Counts a file against the quota of the import. Only posts that were imported take such files. */
const admissionOf = (
  services: ImportServices,
  accountId: string,
  { importId, postId }: { readonly importId: string; readonly postId: string },
): Admission => ({
  importId,
  async admit(tx, sizeBytes) {
    const running = await findImport(tx, accountId, importId, services.clock.now())
    if (!(await isImported(tx, accountId, postId))) refuse(postNotFound)
    await takeImportQuota(tx, services, running, { posts: 0, files: 1, fileBytes: sizeBytes })
  },
})

function readKey(given: string): string {
  const parsed = ImageKey.safeParse(given)
  if (parsed.success) return parsed.data
  const message = 'must be the key of the image in the text: 1 to 64 letters, digits, - or _'
  return refuse(invalidRequest, { errors: [{ field: 'key', code: 'invalid_format', message }] })
}
