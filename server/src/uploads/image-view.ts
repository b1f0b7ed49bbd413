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

/** §4: receiving, queued and checking are 202, everything else has come to an end. */
export function imageReply(operation: OperationDetails, origin: string, now: Date, replayed = false) {
  return {
    status: isInProgress(operation) ? (202 as const) : (200 as const),
    ...(replayed && { headers: { 'x-idempotency-replay': 'true' } }),
    body: imageView(operation, origin, now, replayed),
  }
}

/** The public address of an inline image by its node key, for a Post's html. */
export const imageUrls =
  (paths: Readonly<Record<string, string>>, origin: string) =>
  (key: string): string | undefined =>
    Object.hasOwn(paths, key) ? `${origin}${paths[key]}` : undefined
