import { z } from 'zod'
import { multipart, raw, stream } from './body.ts'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { payloadTooLarge, rateLimited } from './errors.ts'
import { uploadIdempotency } from './idempotency.ts'
import { AttachmentManifest, AttachmentResult, OwnedAttachment, Transfer } from './owned-attachment.ts'
import { Attachment, paidPostRequired, postNotFound, postRevisionRequired, revisionConflict } from './posts.ts'
import { refusal } from './refusal.ts'
import { codePoints, trimmedText, Uuid } from './schemas.ts'
import { checksumMismatch, replayHeader, resourceGone, revisionHeaders } from './uploads.ts'

/** §8 */
export const zipBytes = 10_485_760
export const partBytes = 5_242_880
export const legacyZipBytes = 3_145_728
const controlBytes = 16_384

// §8: a basename, and nothing else: no folder or drive, no control character (nor one that turns the direction of what
// follows), nothing that UTF-8 cannot say.
const Filename = z
  .string()
  .trim()
  .refine(
    (name) =>
      codePoints(name) >= 5 &&
      codePoints(name) <= 128 &&
      /^(?![a-z]:)[^/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+\.zip$/iu.test(name),
    'must be a file name of 5 to 128 characters that ends in .zip',
  )
  .meta({ openapi: { type: 'string', minLength: 5, maxLength: 128 } })
const Description = trimmedText(0, 500)
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex')

const owned = { attachment: OwnedAttachment.optional() }
export const attachmentQuota = refusal(
  'attachment-quota',
  409,
  'That is more than the Post, or all your Posts together, may hold.',
)
export const attachmentState = refusal(
  'attachment-state',
  409,
  'The attachment is in a state that does not allow this.',
  owned,
)
export const attachmentInFlight = refusal(
  'attachment-in-flight',
  409,
  'Bytes of this ZIP are still on their way: wait until they are stored, or authorize their part again.',
  owned,
)
export const attachmentNotFound = refusal('attachment-not-found', 404, 'No attachment of yours has this id.')
export const attachmentSafetyUnavailable = refusal(
  'attachment-safety-unavailable',
  409,
  'These bytes are not cleared, so nobody gets them.',
)
export const uploadUnconfirmed = refusal(
  'attachment-upload-unconfirmed',
  503,
  'The bytes could not be stored for sure: send the same request again.',
)
export const capabilityRefused = refusal(
  'capability-refused',
  403,
  'No part may be stored with this capability: authorize the part again.',
)
export const assetNotFound = refusal('asset-not-found', 404, 'No file has this address.')

const publishing = { tag: 'ZIP attachments', credential: 'publishing-key', errors: 'problem' } as const
const ofPost = z.object({ postId: Uuid })
const ofOperation = z.object({ postId: Uuid, operationId: Uuid })
const ofAsset = z.object({ postId: Uuid, assetId: Uuid })
const revised = z.object(revisionHeaders)
const revisionRefusals = [postRevisionRequired, revisionConflict]
const requestKey = z.string().trim().min(1).max(255)
const admission = [paidPostRequired, attachmentQuota, rateLimited, resourceGone]
export const zipFile = raw('application/zip', 'The exact bytes.')
export const downloadHeaders = { 'content-disposition': '`attachment` and the file name.' }

export const listAttachments = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/posts/{postId}/attachments',
  summary: 'The ZIPs of one of your Posts',
  description: 'With `requestKey` the one that this key was for, also when it is long removed.',
  request: { params: ofPost, query: z.object({ requestKey: requestKey.optional() }) },
  replies: { 200: AttachmentManifest },
  refusals: [postNotFound],
})

export const reserveAttachment = endpoint({
  ...publishing,
  method: 'POST',
  path: '/api/v1/posts/{postId}/attachments/uploads',
  summary: 'Reserve a place for a ZIP',
  description: 'Then authorize, send and complete its parts of 5 MiB, one after the other.',
  request: {
    params: ofPost,
    headers: revised,
    body: z.strictObject({
      filename: Filename,
      description: Description.optional(),
      sizeBytes: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
      sha256: Sha256,
    }),
  },
  replies: { 202: AttachmentResult },
  replyHeaders: replayHeader,
  refusals: [postNotFound, ...revisionRefusals, ...admission, payloadTooLarge],
  idempotency: uploadIdempotency,
  maxBodyBytes: controlBytes,
})

export const lookUpAttachment = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/posts/{postId}/attachments/uploads',
  summary: 'The upload that a key was for',
  request: { params: ofPost, query: z.object({ requestKey }) },
  replies: { 200: AttachmentResult },
  refusals: [attachmentNotFound, postNotFound],
})

export const transportAttachment = endpoint({
  ...publishing,
  method: 'POST',
  path: '/api/v1/posts/{postId}/attachments/uploads/{operationId}/transport',
  summary: 'See how far a ZIP is, or authorize its next part',
  request: {
    params: ofOperation,
    body: z.strictObject({ partNumber: z.number().int().min(1).optional() }).prefault({}),
  },
  replies: { 200: AttachmentResult.extend({ transfer: Transfer.nullable() }) },
  refusals: [attachmentNotFound, attachmentState, resourceGone],
  maxBodyBytes: controlBytes,
})

export const completeAttachment = endpoint({
  ...publishing,
  method: 'POST',
  path: '/api/v1/posts/{postId}/attachments/uploads/{operationId}/complete',
  summary: 'Say that all parts of a ZIP were sent',
  description: 'Its length and SHA-256 are checked; then it waits to be screened.',
  request: { params: ofOperation, body: z.strictObject({}).prefault({}) },
  replies: { 200: AttachmentResult },
  refusals: [
    attachmentNotFound,
    attachmentState,
    attachmentInFlight,
    resourceGone,
    checksumMismatch,
    uploadUnconfirmed,
  ],
  maxBodyBytes: controlBytes,
})

export const editAttachment = endpoint({
  ...publishing,
  method: 'PATCH',
  path: '/api/v1/posts/{postId}/attachments/{assetId}',
  summary: 'Change the name or description of a ZIP',
  request: {
    params: ofAsset,
    headers: revised,
    body: z
      .strictObject({ filename: Filename, description: Description })
      .partial()
      .refine((patch) => Object.keys(patch).length > 0, 'must change something')
      .meta({ minProperties: 1 }),
  },
  replies: { 200: AttachmentResult },
  refusals: [attachmentNotFound, ...revisionRefusals, attachmentState],
  maxBodyBytes: controlBytes,
})

export const removeAttachment = endpoint({
  ...publishing,
  method: 'DELETE',
  path: '/api/v1/posts/{postId}/attachments/{assetId}',
  summary: 'Cancel a ZIP on its way, or remove one that is there',
  request: { params: ofAsset, headers: revised },
  replies: { 200: AttachmentResult },
  refusals: [attachmentNotFound, ...revisionRefusals],
})

export const downloadAttachment = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/posts/{postId}/attachments/{assetId}/download',
  summary: 'The bytes of one of your ZIPs',
  description: 'Of drafts and withdrawn Posts too.',
  request: { params: ofAsset },
  replies: { 200: zipFile },
  replyHeaders: downloadHeaders,
  refusals: [attachmentNotFound, attachmentSafetyUnavailable],
})

export const uploadAttachment = endpoint({
  ...publishing,
  method: 'POST',
  path: '/api/v1/posts/{postId}/attachments',
  summary: 'Upload a small ZIP in one form',
  description: 'For clients of the first version: 3 MiB. Others reserve a place and send parts.',
  request: {
    params: ofPost,
    headers: revised,
    body: multipart({
      file: { field: 'file', maxBytes: legacyZipBytes },
      fields: z.strictObject({ description: Description.optional(), sha256: Sha256 }),
    }),
  },
  replies: { 202: AttachmentResult },
  replyHeaders: replayHeader,
  refusals: [postNotFound, ...revisionRefusals, ...admission, checksumMismatch, uploadUnconfirmed],
  idempotency: uploadIdempotency,
})

// Sent by browsers and programs that were handed one capability and nothing else: any other credential does not belong here.
const forbidden = z.never({ error: 'must not be sent here' }).optional()

export const storeAttachmentPart = endpoint({
  method: 'PUT',
  path: '/functions/v1/upload-post-attachment-part',
  tag: 'ZIP attachments',
  summary: 'Store one part of a ZIP',
  description: 'Its address and capability come from the transport call. The same bytes again are fine.',
  credential: 'none',
  request: {
    query: z.object({ operation: z.string().optional(), part: z.string().optional() }),
    headers: z.object({
      'x-part-capability': z.string().optional(),
      'content-length': z.string().optional(),
      authorization: forbidden,
      cookie: forbidden,
      apikey: forbidden,
      'payment-signature': forbidden,
      'x-payment': forbidden,
      'sign-in-with-x': forbidden,
      'content-range': forbidden,
      'content-encoding': forbidden,
    }),
    body: stream({ contentType: 'application/octet-stream', maxBytes: partBytes }),
  },
  replies: { 200: z.object({ partNumber: z.number().int(), length: z.number().int(), stored: z.literal(true) }) },
  refusals: [capabilityRefused, attachmentState, uploadIdempotency.conflict, uploadUnconfirmed],
  errors: 'problem',
})

export const listPublicAttachments = endpoint({
  method: 'GET',
  path: '/api/posts/{postId}/attachments',
  tag: 'ZIP attachments',
  summary: 'The ZIPs of a published Post',
  credential: 'none',
  request: { params: ofPost },
  replies: { 200: z.object({ attachments: z.array(Attachment) }) },
  refusals: [publicPostNotFound],
  errors: 'h3',
})
