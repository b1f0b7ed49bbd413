import { attachmentQuota } from '@pennypost/contract/attachments'
import { rateLimited } from '@pennypost/contract/errors'
import { stagingLimit } from '@pennypost/contract/uploads'
import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'

// §8, counted over an account whatever key it uses. Whoever calls these holds the account's lock: of two uploads that
// would both just fit, the second one counts the first.

const mebibyte = 1024 * 1024
const minuteMs = 60_000
const dayMs = 24 * 3_600_000
const staging = { operations: 10, bytes: 25 * mebibyte }
const perMinute = 10
const perDay = { uploads: 100, bytes: 250 * mebibyte }
const stagingRetrySeconds = 30

export const attachmentLimits = { postAttachments: 3, postBytes: 10_485_760, profileBytes: 104_857_600 }

/** Uploads accepted lately: a replay, a part or a refusal is none. */
export async function requireUploadRate(tx: Tx, accountId: string, sizeBytes: number, now: Date): Promise<void> {
  const { rows } = await sql<{ created_at: Date; size_bytes: string }>`
    SELECT created_at, size_bytes FROM upload_operations
    WHERE account_id = ${accountId} AND created_at > ${new Date(now.getTime() - dayMs)}
    ORDER BY created_at DESC LIMIT ${perDay.uploads}`.execute(tx)
  const refuseUntil = (row: { created_at: Date }, windowMs: number): never =>
    refuse(rateLimited, {}, { retryAfterSeconds: secondsUntil(row.created_at.getTime() + windowMs, now) })

  const tenth = rows[perMinute - 1]
  if (tenth && tenth.created_at.getTime() > now.getTime() - minuteMs) refuseUntil(tenth, minuteMs)
  const hundredth = rows[perDay.uploads - 1]
  if (hundredth) refuseUntil(hundredth, dayMs)
  let bytes = sizeBytes
  for (const row of rows) {
    bytes += Number(row.size_bytes)
    // The newest that must have left the day before this one fits.
    if (bytes > perDay.bytes) refuseUntil(row, dayMs)
  }
}

const secondsUntil = (time: number, now: Date): number => Math.max(1, Math.ceil((time - now.getTime()) / 1000))

/** Images that are not checked yet, or of which bytes that nobody needs are not cleaned up yet. */
export async function requireStagingQuota(tx: Tx, accountId: string, sizeBytes: number): Promise<void> {
  const { rows } = await sql<{ operations: number; bytes: string }>`
    SELECT count(*)::int AS operations, coalesce(sum(size_bytes), 0) AS bytes FROM upload_operations
    WHERE account_id = ${accountId} AND target_kind <> 'attachment'
      AND (received_key IS NOT NULL OR state IN ('receiving', 'queued', 'checking')
        OR (NOT desired AND media_key IS NOT NULL AND cleanup_state = 'queued'))`.execute(tx)
  const { operations, bytes } = rows[0]!
  if (operations >= staging.operations || Number(bytes) + sizeBytes > staging.bytes)
    refuse(stagingLimit, {}, { retryAfterSeconds: stagingRetrySeconds })
}

export interface AttachmentUsage {
  readonly postAttachments: number
  readonly postBytes: number
  readonly profileBytes: number
}

/** Of a Post what is pending or ready; of the Profile also what waits for its cleanup. */
export async function attachmentUsage(db: Db | Tx, accountId: string, postId: string): Promise<AttachmentUsage> {
  const { rows } = await sql<{ post_attachments: number; post_bytes: string; profile_bytes: string }>`
    SELECT count(*) FILTER (WHERE zip.post_id = ${postId} AND zip.state IN ('pending', 'ready'))::int AS post_attachments,
      coalesce(sum(operation.size_bytes) FILTER (WHERE zip.post_id = ${postId} AND zip.state IN ('pending', 'ready')), 0) AS post_bytes,
      coalesce(sum(operation.size_bytes), 0) AS profile_bytes
    FROM attachments zip JOIN upload_operations operation ON operation.id = zip.operation_id
    WHERE zip.account_id = ${accountId} AND zip.state <> 'removed'`.execute(db)
  const { post_attachments: postAttachments, post_bytes, profile_bytes } = rows[0]!
  return { postAttachments, postBytes: Number(post_bytes), profileBytes: Number(profile_bytes) }
}

export async function requireAttachmentQuota(
  tx: Tx,
  accountId: string,
  postId: string,
  sizeBytes: number,
): Promise<void> {
  const usage = await attachmentUsage(tx, accountId, postId)
  if (usage.postAttachments >= attachmentLimits.postAttachments)
    refuse(attachmentQuota, {}, { detail: `A Post has at most ${attachmentLimits.postAttachments} ZIPs.` })
  if (usage.postBytes + sizeBytes > attachmentLimits.postBytes)
    refuse(
      attachmentQuota,
      {},
      { detail: `The ZIPs of a Post have at most ${attachmentLimits.postBytes} bytes together.` },
    )
  if (usage.profileBytes + sizeBytes > attachmentLimits.profileBytes)
    refuse(
      attachmentQuota,
      {},
      { detail: `All your ZIPs together have at most ${attachmentLimits.profileBytes} bytes.` },
    )
}
