import { z } from 'zod'
import { multipart, raw, stream } from './body.ts'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { payloadTooLarge, rateLimited } from './errors.ts'
import { forbiddenHeader } from './forbidden-header.ts'
import { uploadIdempotency } from './idempotency.ts'
import { AttachmentManifest, AttachmentResult, OwnedAttachment, Transfer } from './owned-attachment.ts'
import { Attachment, paidPostRequired, postNotFound, postRevisionRequired, revisionConflict } from './posts.ts'
import { refusal } from './refusal.ts'
import { codePoints, trimmedText, Uuid } from './schemas.ts'
import { checksumMismatch, replayHeader, resourceGone, revisionHeaders } from './uploads.ts'

export const zipBytes = 10_485_760
export const partBytes = 5_242_880
export const legacyZipBytes = 3_145_728
const controlBytes = 16_384

// A plain file name: no folder or drive, no control or bidirectional formatting characters, no lone surrogates.
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
  'This exceeds the ZIP storage limit of the post or of your account.',
)
export const attachmentState = refusal(
  'attachment-state',
  409,
  'The state of the attachment does not allow this.',
  owned,
)
export const attachmentInFlight = refusal(
  'attachment-in-flight',
  409,
  'A part of this ZIP is still being received. Wait until it is stored, or authorize the part again.',
  owned,
)
export const attachmentNotFound = refusal('attachment-not-found', 404, 'You have no attachment with this id.')
export const attachmentSafetyUnavailable = refusal(
  'attachment-safety-unavailable',
  409,
  'This file has not passed the safety check, so it cannot be downloaded.',
)
export const uploadUnconfirmed = refusal(
  'attachment-upload-unconfirmed',
  503,
  'The bytes may not have been stored. Send the same request again.',
)
export const capabilityRefused = refusal(
  'capability-refused',
  403,
  'This capability does not allow storing a part. Authorize the part again.',
)
export const assetNotFound = refusal('asset-not-found', 404, 'No file has this id.')

const publishing = { tag: 'ZIP attachments', credential: 'publishing-key', errors: 'problem' } as const
const ofPost = z.object({ postId: Uuid })
const ofOperation = z.object({ postId: Uuid, operationId: Uuid })
const ofAsset = z.object({ postId: Uuid, assetId: Uuid })
const revised = z.object(revisionHeaders)
const revisionRefusals = [postRevisionRequired, revisionConflict]
const requestKey = z.string().trim().min(1).max(255)
const admission = [paidPostRequired, attachmentQuota, rateLimited, resourceGone]
export const zipFile = raw('application/zip', 'The exact bytes.')
export const downloadHeaders = { 'content-disposition': '`attachment` with the file name.' }

export const listAttachments = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/posts/{postId}/attachments',
  summary: 'List the ZIP files of one of your posts',
  description: 'With `requestKey`, only the file uploaded with that key, even if it was removed since.',
  request: { params: ofPost, query: z.object({ requestKey: requestKey.optional() }) },
  replies: { 200: AttachmentManifest },
  refusals: [postNotFound],
})

export const reserveAttachment = endpoint({
  ...publishing,
  method: 'POST',
  path: '/api/v1/posts/{postId}/attachments/uploads',
  summary: 'Start the upload of a ZIP file',
  description: 'Next, authorize and send its parts of 5 MiB one after the other, then complete the upload.',
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
  recovers: true,
  refusals: [postNotFound, ...revisionRefusals, ...admission, payloadTooLarge],
  idempotency: uploadIdempotency,
  maxBodyBytes: controlBytes,
})

export const lookUpAttachment = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/posts/{postId}/attachments/uploads',
  summary: 'Get the upload that was started with a key',
  description: 'For a client that lost the reply of `reserveAttachment`. `requestKey` is its `Idempotency-Key`.',
  request: { params: ofPost, query: z.object({ requestKey }) },
  replies: { 200: AttachmentResult },
  refusals: [attachmentNotFound, postNotFound],
})

export const transportAttachment = endpoint({
  ...publishing,
  method: 'POST',
  path: '/api/v1/posts/{postId}/attachments/uploads/{operationId}/transport',
  summary: 'Get the progress of an upload, or authorize its next part',
  description:
    'Without `partNumber`, only the progress. With it, `transfer` says where and how to send that part, for the next fifteen minutes. Parts are sent in order.',
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
  summary: 'Complete the upload of a ZIP file',
  description: 'Its length and SHA-256 are checked, then it is queued for screening.',
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
  summary: 'Change the name or description of a ZIP file',
  description:
    'Fields that are left out keep their value. Needs the revision of the post in `X-Post-Revision` or `If-Match`.',
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
  summary: 'Remove a ZIP file, or cancel its upload',
  description:
    'Buyers of the post keep access to a file that was ready. Needs the revision of the post in `X-Post-Revision` or `If-Match`.',
  request: { params: ofAsset, headers: revised },
  replies: { 200: AttachmentResult },
  refusals: [attachmentNotFound, ...revisionRefusals],
})

export const downloadAttachment = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/posts/{postId}/attachments/{assetId}/download',
  summary: 'Download one of your ZIP files',
  description: 'Also works for drafts and unpublished posts.',
  request: { params: ofAsset },
  replies: { 200: zipFile },
  replyHeaders: downloadHeaders,
  refusals: [attachmentNotFound, attachmentSafetyUnavailable],
})

export const uploadAttachment = endpoint({
  ...publishing,
  method: 'POST',
  path: '/api/v1/posts/{postId}/attachments',
  summary: 'Upload a small ZIP file as a form',
  description: 'For older clients, up to 3 MiB. Newer clients upload in parts.',
  request: {
    params: ofPost,
    headers: revised,
    body: multipart({
      file: { field: 'file', maxBytes: legacyZipBytes, contentTypes: ['application/zip'] },
      fields: z.strictObject({ description: Description.optional(), sha256: Sha256 }),
    }),
  },
  replies: { 202: AttachmentResult },
  replyHeaders: replayHeader,
  recovers: true,
  refusals: [postNotFound, ...revisionRefusals, ...admission, checksumMismatch, uploadUnconfirmed],
  idempotency: uploadIdempotency,
})

export const storeAttachmentPart = endpoint({
  method: 'PUT',
  path: '/functions/v1/upload-post-attachment-part',
  tag: 'ZIP attachments',
  summary: 'Send one part of a ZIP file',
  description:
    'URL and capability come from `transportAttachment`. Sending the same bytes twice is harmless. The capability is the only credential: a request with `Authorization`, a cookie or a payment is refused, and so is one with `Content-Range` or `Content-Encoding`.',
  credential: 'none',
  request: {
    query: z.object({ operation: z.string().optional(), part: z.string().optional() }),
    // The capability is the only credential here. Refusing all others catches clients that leak theirs.
    headers: z.object({
      'x-part-capability': z.string().optional(),
      'content-length': z.string().optional(),
      authorization: forbiddenHeader,
      cookie: forbiddenHeader,
      apikey: forbiddenHeader,
      'payment-signature': forbiddenHeader,
      'x-payment': forbiddenHeader,
      'sign-in-with-x': forbiddenHeader,
      'content-range': forbiddenHeader,
      'content-encoding': forbiddenHeader,
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
  summary: 'List the ZIP files of a published post',
  description: 'Name, size and contents of every file. Downloading a file needs access to the post.',
  credential: 'none',
  request: { params: ofPost },
  replies: { 200: z.object({ attachments: z.array(Attachment) }) },
  refusals: [publicPostNotFound],
  errors: 'h3',
})
