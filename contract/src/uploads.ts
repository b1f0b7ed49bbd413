import { z } from 'zod'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'

// What images and ZIPs share: an operation that receives bytes privately, has them screened, and shows what is safe.

export const imageTargetKinds = ['inline', 'og', 'avatar', 'header'] as const

/** §2: how far an upload is, and whether what it holds may be shown. */
export const Safety = z
  .object({
    operationId: Uuid,
    targetKind: z.enum([...imageTargetKinds, 'attachment']),
    targetId: Uuid.meta({ description: 'The Post, or for avatar and header the Profile.' }),
    targetKey: z.string().meta({ description: 'The saved node key of an inline image, else empty.' }),
    generation: z.number().int(),
    currentGeneration: z.number().int(),
    associated: z.boolean(),
    desired: z.boolean(),
    held: z.boolean(),
    received: z.boolean().meta({ description: 'The bytes are stored for good.' }),
    eligible: z.boolean().meta({ description: 'Received, cleared, desired, not held, and of the current generation.' }),
    reuploadAllowed: z.boolean(),
    state: z.enum(['receiving', 'queued', 'checking', 'cleared', 'rejected', 'failed', 'cancelled']),
    policyVersion: z.string(),
    lastError: z.string().nullable(),
    retryAfterSeconds: z.number().int(),
  })
  .meta({ id: 'Safety' })
export type Safety = z.infer<typeof Safety>

/** §7: how to find out what became of a request whose answer was lost or refused. */
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
  'This upload was cancelled, removed or has expired.',
  recovery,
)
export const stagingLimit = refusal(
  'staging-limit',
  429,
  'Too many images wait to be checked or cleaned up: let some finish first.',
  recovery,
)
export const uploadNotFound = refusal('upload-not-found', 404, 'No upload of yours has this id.')
export const checksumMismatch = refusal(
  'checksum-mismatch',
  422,
  'The bytes are not those that the length and the SHA-256 promised.',
  recovery,
)

/** The revision of a Post in either of its two headers (§4); `If-Match` may be quoted. */
export const revisionHeaders = {
  'x-post-revision': z.string().max(64).optional(),
  'if-match': z.string().max(80).optional(),
}

export const replayHeader = { 'x-idempotency-replay': '`true` where the operation existed already.' }

/** Of a body or a header, in the words of a Post: its `updatedAt`. */
export const CurrentRevision = DateTime.nullable()
