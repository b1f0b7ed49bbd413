import { invalidRequest, validation } from '@pennypost/contract/errors'
import { type uploadPostImage as declared, ImageKey, imageBytes, inlineImageBytes } from '@pennypost/contract/images'
import { refuse } from '../platform/http/refuse.ts'
import { receiveImage } from './receive-image.ts'
import { readRevisionHeader } from './revision-header.ts'
import type { Handler } from './services.ts'

export const uploadPostImage: Handler<typeof declared> = async (services, call) => {
  const { caller, params, query, headers, body, idempotencyKey } = call
  // The query wins over the form field: a client may send both, and they may differ.
  const kind = kindOf(query.intent ?? body.fields.intent ?? 'content')
  return receiveImage(services, {
    target: {
      accountId: caller.accountId,
      kind,
      id: params.postId,
      key: kind === 'inline' ? nodeKey(headers['x-upload-target-key']) : '',
    },
    requestKey: idempotencyKey,
    file: body.file,
    maxBytes: kind === 'inline' ? inlineImageBytes : imageBytes,
    revision: readRevisionHeader(headers),
    ip: call.ip,
    origin: call.origin,
  })
}

function kindOf(intent: string): 'inline' | 'og' {
  if (intent === 'content') return 'inline'
  if (intent === 'og') return 'og'
  return refuse(validation, {
    errors: [{ field: 'intent', code: 'invalid_value', message: 'must be content or og' }],
  })
}

function nodeKey(given: string | undefined): string {
  const parsed = ImageKey.safeParse(given)
  if (parsed.success) return parsed.data
  const code = given === undefined ? 'required' : 'invalid_format'
  const message = 'must be the key of the image in the text: 1 to 64 letters, digits, - or _'
  return refuse(invalidRequest, { errors: [{ field: 'x-upload-target-key', code, message }] })
}
