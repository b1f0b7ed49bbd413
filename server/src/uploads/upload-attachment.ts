import { type uploadAttachment as declared, reserveAttachment } from '@pennypost/contract/attachments'
import { validation } from '@pennypost/contract/errors'
import { refuse } from '../platform/http/refuse.ts'
import { receiveZipForm } from './receive-zip-form.ts'
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
  return receiveZipForm(services, {
    accountId: caller.accountId,
    postId: params.postId,
    idempotencyKey,
    file,
    filename: filename.data,
    fields,
    claim: { revision: readRevisionHeader(headers) },
  })
}
