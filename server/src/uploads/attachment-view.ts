import type { AttachmentResult, OwnedAttachment } from '@pennypost/contract/owned-attachment'
import type { Attachment } from '@pennypost/contract/posts'
import { type AttachmentRow, findAttachmentByOperation } from './attachment-store.ts'
import type { OperationDetails } from './operation-store.ts'
import { listParts, type Part } from './part-store.ts'
import { formatRevision } from './revision.ts'
import { isEligible, isExpired, safetyView } from './safety.ts'
import type { UploadServices } from './services.ts'

export const assetPath = (id: string): string => `/api/assets/${id}`

/** A post's ZIP as the database keeps it for readers. The two omitted fields follow from the id. */
export type ReadyAttachment = Omit<Attachment, 'mimeType' | 'downloadUrl'>

/** A ZIP that was removed from its post. Only readers who bought it before the removal can still download it. */
export interface RetainedAttachment extends ReadyAttachment {
  /** Null for ZIPs that were removed before this date was recorded. */
  readonly removedAt: string | null
}

export const publicAttachment = ({
  id,
  filename,
  sizeBytes,
  description,
  sha256,
  contents,
}: ReadyAttachment): Attachment => ({
  id,
  filename,
  sizeBytes,
  description,
  sha256,
  mimeType: 'application/zip',
  downloadUrl: assetPath(id),
  contents,
})

export function ownedAttachment(
  attachment: AttachmentRow,
  operation: OperationDetails,
  parts: readonly Part[],
  now: Date,
): OwnedAttachment {
  const isReceived = operation.received_at !== null
  const sizeBytes = Number(operation.size_bytes)
  const { id, filename, description, contents } = attachment
  return {
    ...publicAttachment({ id, filename, sizeBytes, description, sha256: operation.sha256, contents }),
    state: attachment.state,
    safety: { ...safetyView(operation, now), csamCoverage: isEligible(operation) ? operation.csam_coverage : null },
    operation: {
      id: operation.id,
      requestKey: operation.request_key,
      transport: {
        stage: stageOf(attachment, operation, parts, now),
        receipt: {
          received: isReceived,
          sizeBytes: isReceived ? sizeBytes : null,
          sha256: isReceived ? operation.sha256 : null,
        },
        association: {
          revision: attachment.state === 'ready' ? revisionOf(operation) : null,
          conflict: attachment.association_conflict,
        },
        parts: parts.map(({ number, length, generation, state }) => ({ number, length, generation, state })),
      },
      cleanup: {
        state: operation.cleanup_state,
        attempts: operation.cleanup_attempts,
        nextAttemptAt: operation.cleanup_next_at?.toISOString() ?? null,
        lastError: operation.cleanup_error,
      },
    },
    ...(attachment.retention_reason && { retentionReason: attachment.retention_reason }),
  }
}

type Stage = OwnedAttachment['operation']['transport']['stage']

function stageOf(attachment: AttachmentRow, operation: OperationDetails, parts: readonly Part[], now: Date): Stage {
  if (operation.state === 'cancelled' || isExpired(operation, now)) return 'cancelled'
  if (attachment.state === 'ready') return 'complete'
  if (operation.received_at !== null) return 'received'
  if (operation.state === 'failed') return 'failed'
  return parts.some(({ state }) => state !== 'waiting') ? 'receiving' : 'reserved'
}

const revisionOf = ({ post_updated_us: updatedUs }: OperationDetails): string | null =>
  updatedUs === null ? null : formatRevision(BigInt(updatedUs))

/** The body that all calls about one ZIP return. */
export async function attachmentResult(
  { db, clock }: Pick<UploadServices, 'db' | 'clock'>,
  operation: OperationDetails,
  replayed = false,
): Promise<AttachmentResult> {
  const attachment = (await findAttachmentByOperation(db, operation.id))!
  const parts = await listParts(db, [operation.id])
  return {
    attachment: ownedAttachment(attachment, operation, parts, clock.now()),
    currentRevision: revisionOf(operation),
    replayed,
  }
}
