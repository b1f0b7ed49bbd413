import { z } from 'zod'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'

// What images and ZIP files share: an operation that receives bytes privately, screens them, and publishes safe ones.

export const imageTargetKinds = ['inline', 'og', 'avatar', 'header'] as const

/** The progress of an upload, and whether its content can be shown. */
export const Safety = z
  .object({
    operationId: Uuid,
    targetKind: z.enum([...imageTargetKinds, 'attachment']),
    targetId: Uuid.meta({ description: 'The post, or the profile for an avatar or header.' }),
    targetKey: z.string().meta({ description: 'The node key of an inline image, otherwise empty.' }),
    generation: z.number().int(),
    currentGeneration: z.number().int(),
    associated: z.boolean(),
    desired: z.boolean(),
    held: z.boolean(),
    received: z.boolean().meta({ description: 'Whether the bytes are stored durably.' }),
    eligible: z.boolean().meta({ description: 'Received, cleared, desired, not held, and of the current generation.' }),
    reuploadAllowed: z.boolean(),
    state: z.enum(['receiving', 'queued', 'checking', 'cleared', 'rejected', 'failed', 'cancelled']),
    policyVersion: z.string(),
    lastError: z.string().nullable(),
    retryAfterSeconds: z.number().int(),
  })
  .meta({ id: 'Safety' })
export type Safety = z.infer<typeof Safety>

/** How to look up a request whose response was lost or refused. */
export const Recovery = z
  .object({
    requestKey: z.string(),
    statusUrl: z.string(),
    uploadUrl: z.string().optional(),
    operationId: Uuid.optional(),
  })
  .meta({ id: 'Recovery' })
export type Recovery = z.infer<typeof Recovery>

const recovery = { recovery: Recovery.optional() }

export const resourceGone = refusal(
  'resource-gone',
  410,
  'This upload was cancelled or removed, or it has expired.',
  recovery,
)
export const stagingLimit = refusal(
  'staging-limit',
  429,
  'Too many of your images are waiting to be checked or cleaned up. Wait until some are done.',
  recovery,
)
export const uploadNotFound = refusal('upload-not-found', 404, 'You have no upload with this id.')
export const checksumMismatch = refusal(
  'checksum-mismatch',
  422,
  'The bytes do not match the declared length or SHA-256.',
  recovery,
)

/** The revision of a post, in either of two headers. `If-Match` may be quoted. */
export const revisionHeaders = {
  'x-post-revision': z.string().max(64).optional(),
  'if-match': z.string().max(80).optional(),
}

export const replayHeader = { 'x-idempotency-replay': '`true` if the operation already existed.' }

/** The `updatedAt` of the post, or null for uploads that belong to no post. */
export const CurrentRevision = DateTime.nullable()
