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

/** Size limit of avatars, headers and OG images. */
export const imageBytes = 2 * 1024 * 1024
export const inlineImageBytes = 5 * 1024 * 1024
const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/** For new uploads only: a replay does not count. */
export const imageUploadsByAddress = limit('image-uploads', { per: 'ip', max: 30, seconds: 60 })

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
  // 202 while the upload is in progress, 200 once it is finished.
  replies: { 200: ImageOperation, 202: ImageOperation },
  replyHeaders: replayHeader,
  recovers: true,
  idempotency: uploadIdempotency,
  handlerLimits: [imageUploadsByAddress],
} as const
const uploadRefusals = [resourceGone, stagingLimit, rateLimited]

export const uploadPostImage = endpoint({
  ...publishing,
  ...sent,
  method: 'POST',
  path: '/api/v1/posts/{postId}/images',
  summary: 'Upload an inline image or social preview image of a post',
  description:
    'PNG, JPEG, WebP or GIF, up to 5 MiB inline or 2 MiB for the preview (OG) image. It stays private while it is checked in the background: poll `actions.status`.',
  request: {
    params: z.object({ postId: Uuid }),
    query: z.object({
      intent: z.string().optional().meta({ description: '`content` or `og`. Takes precedence over the form field.' }),
    }),
    headers: z.object({
      ...revisionHeaders,
      'x-upload-target-key': z.string().optional().meta({ description: 'The node key of an inline image.' }),
    }),
    body: multipart({
      file: { field: 'file', maxBytes: inlineImageBytes, contentTypes: imageTypes },
      fields: z.strictObject({ intent: z.string().optional() }),
    }),
  },
  refusals: [postNotFound, postRevisionRequired, revisionConflict, ...uploadRefusals],
})

const profileImage: MultipartBody<z.ZodObject<Record<never, never>>> = multipart({
  file: { field: 'file', maxBytes: imageBytes, contentTypes: imageTypes },
  fields: z.strictObject({}),
})

export const uploadAvatar = endpoint({
  ...publishing,
  ...sent,
  method: 'POST',
  path: '/api/v1/profile/avatar',
  summary: 'Upload your avatar',
  description: 'PNG, JPEG, WebP or GIF, up to 2 MiB. The previous image is shown until this one has been checked.',
  request: { body: profileImage },
  refusals: uploadRefusals,
})

export const uploadHeader = endpoint({
  ...publishing,
  ...sent,
  method: 'POST',
  path: '/api/v1/profile/header',
  summary: 'Upload your header image',
  description: 'PNG, JPEG, WebP or GIF, up to 2 MiB. The previous image is shown until this one has been checked.',
  request: { body: profileImage },
  refusals: uploadRefusals,
})

export const listUploadOperations = endpoint({
  ...publishing,
  method: 'GET',
  path: '/api/v1/upload-operations',
  summary: 'List your image uploads',
  description:
    'With `postId`, the uploads of a post; without parameters, those of your profile. At most 200, newest first: `nextCursor` continues, and is null at the end. With `requestKey`, `targetKind`, `targetId` and `targetKey`, at most the one that matches.',
  request: {
    query: z.object({
      postId: Uuid.optional(),
      cursor: z.string().max(200).optional(),
      requestKey: z.string().trim().min(1).max(255).optional(),
      targetKind: z.enum(imageTargetKinds).optional(),
      targetId: Uuid.optional(),
      targetKey: z.string().max(64).optional(),
    }),
  },
  replies: { 200: z.object({ operations: z.array(ImageOperation), nextCursor: z.string().nullable().optional() }) },
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
  summary: 'Get the status of an upload',
  description:
    'Poll it until `safety.state` is `cleared`, `rejected` or `failed`, and wait `safety.retryAfterSeconds` in between. 202 means that the upload is in progress.',
})

export const associateUpload = endpoint({
  ...publishing,
  ...operation,
  method: 'POST',
  path: '/api/v1/upload-operations/{operationId}/associate',
  summary: 'Attach an upload to its target',
  description: 'Without sending the bytes again, for example after the post was changed to allow it.',
})

export const cancelUpload = endpoint({
  ...publishing,
  ...operation,
  method: 'DELETE',
  path: '/api/v1/upload-operations/{operationId}',
  summary: 'Cancel an upload, or remove its image',
  description: 'An incident hold stays in place.',
})

const otherImageTypes = imageTypes.filter((type) => type !== 'image/webp')
const mediaNotFound = refusal('media-not-found', 404, 'No public image has this URL.')

export const getMedia = endpoint({
  method: 'GET',
  path: '/media/{file}',
  tag: 'Hosted images',
  summary: 'Get a public image',
  description: 'Avatars, header images and images of posts. The bytes behind a URL never change. Supports ranges.',
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
    200: raw('image/webp', 'The image.', otherImageTypes),
    206: raw('image/webp', 'The requested range.', otherImageTypes),
    304: nothing('Your copy is current.'),
    416: nothing('The range is outside the image. `Content-Range` gives its length.'),
  },
  replyHeaders: { etag: 'Never changes.', 'accept-ranges': '`bytes`' },
  refusals: [mediaNotFound],
  errors: 'problem',
  cache: 'immutable',
})

export const getThumbnail = endpoint({
  method: 'GET',
  path: '/thumbnails/{file}',
  tag: 'Hosted images',
  summary: 'Get a small copy of the cover of a post',
  description:
    '432×288 pixels, cut at the sides. Its name is that of the cover (`/media/{id}.…`) with `.webp`. The bytes behind a URL never change.',
  credential: 'none',
  request: { params: z.object({ file: z.string().regex(/^[0-9a-f-]{36}\.webp$/) }) },
  replies: { 200: raw('image/webp', 'The image.') },
  refusals: [mediaNotFound],
  errors: 'problem',
  cache: 'immutable',
  conditional: true,
})
export { mediaNotFound }
