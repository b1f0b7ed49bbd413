import { z } from 'zod'
import { type MultipartBody, multipart, nothing, raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { rateLimited } from './errors.ts'
import { uploadIdempotency } from './idempotency.ts'
import { limit } from './limit.ts'
import { AttachmentResult } from './owned-attachment.ts'
import { postNotFound, postRevisionRequired, revisionConflict } from './posts.ts'
import { refusal } from './refusal.ts'
import { Uuid } from './schemas.ts'
import {
  CurrentRevision,
  imageTargetKinds,
  replayHeader,
  resourceGone,
  revisionHeaders,
  Safety,
  stagingLimit,
  uploadNotFound,
} from './uploads.ts'

/** §8 */
export const imageBytes = 2 * 1024 * 1024
export const inlineImageBytes = 5 * 1024 * 1024

/** §8: counted for new uploads only; a replay costs nobody their budget. */
export const imageUploadsByAddress = limit('image-uploads', { per: 'ip', max: 30, seconds: 60 })

/** §2 */
export const ImageOperation = z
  .object({
    safety: Safety.extend({ targetKind: z.enum(imageTargetKinds) }),
    publicUrl: z.string().nullable(),
    currentRevision: CurrentRevision,
    replayed: z.boolean(),
    actions: z.object({ status: z.string(), cancel: z.string(), associate: z.string() }),
  })
  .meta({ id: 'ImageOperation' })
export type ImageOperation = z.infer<typeof ImageOperation>

export const ImageKey = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, - or _')

const publishing = { tag: 'Hosted images', credential: 'publishing-key', errors: 'problem' } as const
const sent = {
  // Still on its way, or come to an end.
  replies: { 200: ImageOperation, 202: ImageOperation },
  replyHeaders: replayHeader,
  idempotency: uploadIdempotency,
} as const
const uploadRefusals = [resourceGone, stagingLimit, rateLimited]

export const uploadPostImage = endpoint({
  ...publishing,
  ...sent,
  method: 'POST',
  path: '/api/v1/posts/{postId}/images',
  summary: 'Upload an inline or OG image of a Post',
  description:
    'PNG, JPEG, WebP or GIF; inline 5 MiB, OG 2 MiB. It is received privately and checked in the background: poll `actions.status`.',
  request: {
    params: z.object({ postId: Uuid }),
    query: z.object({ intent: z.string().optional().meta({ description: '`content` or `og`; wins over the field.' }) }),
    headers: z.object({
      ...revisionHeaders,
      'x-upload-target-key': z.string().optional().meta({ description: 'The node key, for an inline image.' }),
    }),
    body: multipart({
      file: { field: 'file', maxBytes: inlineImageBytes },
      fields: z.strictObject({ intent: z.string().optional() }),
    }),
  },
  refusals: [postNotFound, postRevisionRequired, revisionConflict, ...uploadRefusals],
})

const profileImage: MultipartBody<z.ZodObject<Record<never, never>>> = multipart({
  file: { field: 'file', maxBytes: imageBytes },
  fields: z.strictObject({}),
})

export const uploadAvatar = endpoint({
  ...publishing,
  ...sent,
  method: 'POST',
  path: '/api/v1/profile/avatar',
  summary: 'Upload your avatar',
  description: 'PNG, JPEG, WebP or GIF, 2 MiB. The last one stays until this one is cleared.',
  request: { body: profileImage },
  refusals: uploadRefusals,
})

export const uploadHeader = endpoint({
  ...publishing,
  ...sent,
  method: 'POST',
  path: '/api/v1/profile/header',
  summary: 'Upload your header image',
  description: 'PNG, JPEG, WebP or GIF, 2 MiB. The last one stays until this one is cleared.',
  request: { body: profileImage },
  refusals: uploadRefusals,
})

export const listUploadOperations = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/upload-operations',
  summary: 'Your image uploads: of a Post, of your profile, or one by its key',
  description:
    'With `postId` those of a Post, without anything those of your profile, with `requestKey`, `targetKind`, `targetId` and `targetKey` exactly one, or none.',
  request: {
    query: z.object({
      postId: Uuid.optional(),
      requestKey: z.string().trim().min(1).max(255).optional(),
      targetKind: z.enum(imageTargetKinds).optional(),
      targetId: Uuid.optional(),
      targetKey: z.string().max(64).optional(),
    }),
  },
  replies: { 200: z.object({ operations: z.array(ImageOperation) }) },
  refusals: [postNotFound],
})

const Operation = z.union([ImageOperation, AttachmentResult])
const operation = {
  request: { params: z.object({ operationId: Uuid }) },
  replies: { 200: Operation, 202: ImageOperation },
  refusals: [uploadNotFound],
} as const

export const getUploadOperation = endpoint({
  ...publishing,
  ...operation,
  method: 'GET',
  path: '/api/v1/upload-operations/{operationId}',
  summary: 'How far an upload is',
})

export const associateUpload = endpoint({
  ...publishing,
  ...operation,
  method: 'POST',
  path: '/api/v1/upload-operations/{operationId}/associate',
  summary: 'Make an upload part of its target now that it can be',
  description: 'Without sending its bytes again, for instance after the Post was changed to allow it.',
})

export const cancelUpload = endpoint({
  ...publishing,
  ...operation,
  method: 'DELETE',
  path: '/api/v1/upload-operations/{operationId}',
  summary: 'Give up an upload, or what became of it',
  description: 'An incident hold stays.',
})

const mediaNotFound = refusal('media-not-found', 404, 'No public image has this address.')

export const getMedia = endpoint({
  method: 'GET',
  path: '/media/{file}',
  tag: 'Hosted images',
  summary: 'A public image',
  credential: 'none',
  request: {
    params: z.object({ file: z.string().regex(/^[0-9a-f-]{36}\.(png|jpg|webp|gif)$/) }),
    headers: z.object({
      range: z.string().optional(),
      'if-none-match': z.string().optional(),
      'if-range': z.string().optional(),
    }),
  },
  replies: {
    200: raw('image/*', 'The image.'),
    206: raw('image/*', 'The part of it that was asked for.'),
    304: nothing('You have it already.'),
    416: nothing('It has no such part; `Content-Range` says how long it is.'),
  },
  replyHeaders: { etag: 'Of these bytes, which never change.', 'accept-ranges': '`bytes`' },
  refusals: [mediaNotFound],
  errors: 'problem',
  cache: 'immutable',
})
export { mediaNotFound }
