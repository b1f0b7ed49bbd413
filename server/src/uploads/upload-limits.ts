import { attachmentQuota } from '@pennypost/contract/attachments'
import { rateLimited } from '@pennypost/contract/errors'
import { stagingLimit } from '@pennypost/contract/uploads'
import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'

// The limits of uploads, counted per account over all of its publishing keys. Callers hold the account's lock, so when
// two uploads would each just fit, the second one sees the first.

const mebibyte = 1024 * 1024
const minuteMs = 60_000
const dayMs = 24 * 3_600_000
const staging = { operations: 10, bytes: 25 * mebibyte }
const perMinute = 10
const perDay = { uploads: 100, bytes: 250 * mebibyte }
const stagingRetrySeconds = 30

/** Limits of another kind than those of ordinary uploads, for files of an import. They need no revision of the post. */
export interface Admission {
  readonly importId: string
  readonly admit: (tx: Tx, sizeBytes: number) => Promise<void>
}

export const attachmentLimits = { postAttachments: 3, postBytes: 10_485_760, profileBytes: 104_857_600 }

/** Enforces the rate limits: 10 uploads a minute, 100 and 250 MiB a day. Replays, parts, refusals and imports do not count. */
export async function requireUploadRate(tx: Tx, accountId: string, sizeBytes: number, now: Date): Promise<void> {
  const { rows } = await sql<{ created_at: Date; size_bytes: string }>`
    SELECT created_at, size_bytes FROM upload_operations
    WHERE account_id = ${accountId} AND import_id IS NULL AND created_at > ${new Date(now.getTime() - dayMs)}
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
    // This upload fits once this row, and with it every older one, is more than a day old.
    if (bytes > perDay.bytes) refuseUntil(row, dayMs)
  }
}

const secondsUntil = (time: number, now: Date): number => Math.max(1, Math.ceil((time - now.getTime()) / 1000))

/** Refuses an image while too many earlier ones are still unchecked, or have unneeded bytes waiting for cleanup. */
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

/** Counts a post's pending and ready ZIPs. The profile's total also includes bytes that wait for cleanup. */
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
    refuse(attachmentQuota, {}, { detail: `A post can have at most ${attachmentLimits.postAttachments} ZIP files.` })
  if (usage.postBytes + sizeBytes > attachmentLimits.postBytes)
    refuse(
      attachmentQuota,
      {},
      { detail: `The ZIP files of a post can have at most ${attachmentLimits.postBytes} bytes in total.` },
    )
  if (usage.profileBytes + sizeBytes > attachmentLimits.profileBytes)
    refuse(
      attachmentQuota,
      {},
      { detail: `All your ZIP files together can have at most ${attachmentLimits.profileBytes} bytes.` },
    )
}
