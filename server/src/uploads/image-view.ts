import type { ImageOperation } from '@pennypost/contract/images'
import type { ImageKind, OperationDetails } from './operation-store.ts'
import { formatRevision } from './revision.ts'
import { isEligible, isInProgress, safetyView } from './safety.ts'

export const mediaPath = (id: string, extension: string): string => `/media/${id}.${extension}`

export function imageView(operation: OperationDetails, origin: string, now: Date, replayed = false): ImageOperation {
  const status = `/api/v1/upload-operations/${operation.id}`
  const isShown = isEligible(operation) && operation.media_extension !== null
  return {
    safety: { ...safetyView(operation, now), targetKind: operation.target_kind as ImageKind },
    publicUrl: isShown ? origin + mediaPath(operation.id, operation.media_extension!) : null,
    currentRevision: operation.post_updated_us === null ? null : formatRevision(BigInt(operation.post_updated_us)),
    replayed,
    actions: { status, cancel: status, associate: `${status}/associate` },
  }
}

/** Replies 202 while the upload is receiving, queued or checking, and 200 once it has finished. */
export function imageReply(operation: OperationDetails, origin: string, now: Date, replayed = false) {
  return {
    status: isInProgress(operation) ? (202 as const) : (200 as const),
    ...(replayed && { headers: { 'x-idempotency-replay': 'true' } }),
    body: imageView(operation, origin, now, replayed),
  }
}

/** Looks up the public URL of an inline image by its node key, for a post's HTML. */
export const imageUrls =
  (paths: Readonly<Record<string, string>>, origin: string) =>
  (key: string): string | undefined =>
    Object.hasOwn(paths, key) ? `${origin}${paths[key]}` : undefined
