import { z } from 'zod'
import { Attachment } from './posts.ts'
import { DateTime, Uuid } from './schemas.ts'
import { CurrentRevision, Safety } from './uploads.ts'

const Part = z.object({
  number: z.number().int(),
  length: z.number().int(),
  generation: z.number().int(),
  state: z.enum(['waiting', 'authorized', 'stored']),
})

/** An attachment as its owner sees it. */
export const OwnedAttachment = Attachment.extend({
  state: z.enum(['pending', 'ready', 'cleanup_queued', 'removed']),
  safety: Safety.extend({ csamCoverage: z.enum(['complete', 'partial']).nullable() }),
  operation: z.object({
    id: Uuid,
    requestKey: z.string(),
    transport: z.object({
      stage: z.enum(['reserved', 'receiving', 'received', 'complete', 'failed', 'cancelled']),
      receipt: z.object({
        received: z.boolean(),
        sizeBytes: z.number().int().nullable(),
        sha256: z.string().nullable(),
      }),
      association: z.object({ revision: CurrentRevision, conflict: z.string().nullable() }),
      parts: z.array(Part),
    }),
    cleanup: z.object({
      state: z.enum(['none', 'queued', 'done', 'retained']),
      attempts: z.number().int(),
      nextAttemptAt: DateTime.nullable(),
      lastError: z.string().nullable(),
    }),
  }),
  retentionReason: z.literal('financial-history-retained').optional(),
}).meta({ id: 'OwnedAttachment' })
export type OwnedAttachment = z.infer<typeof OwnedAttachment>

export const AttachmentResult = z
  .object({ attachment: OwnedAttachment, currentRevision: CurrentRevision, replayed: z.boolean() })
  .meta({ id: 'AttachmentResult' })
export type AttachmentResult = z.infer<typeof AttachmentResult>

/** Where and how to send one part. */
export const Transfer = z
  .object({
    partNumber: z.number().int(),
    offset: z.number().int(),
    length: z.number().int(),
    method: z.literal('PUT'),
    url: z.string(),
    headers: z.object({ 'x-part-capability': z.string() }),
    expiresAt: DateTime,
  })
  .meta({ id: 'PartTransfer' })
export type Transfer = z.infer<typeof Transfer>

/** All ZIP files of a post, with limits and usage. */
export const AttachmentManifest = z
  .object({
    attachments: z.array(OwnedAttachment),
    currentRevision: DateTime,
    limits: z.object({
      postAttachments: z.number().int(),
      attachmentBytes: z.number().int(),
      postBytes: z.number().int(),
      partBytes: z.number().int(),
      profileBytes: z.number().int(),
      filenameCharacters: z.number().int(),
      descriptionCharacters: z.number().int(),
    }),
    usage: z.object({
      postAttachments: z.number().int(),
      postBytes: z.number().int(),
      remainingPostBytes: z.number().int(),
      profileBytes: z.number().int(),
    }),
  })
  .meta({ id: 'AttachmentManifest' })
