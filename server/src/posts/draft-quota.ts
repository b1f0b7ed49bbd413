import { draftQuota } from '@pennypost/contract/posts'
import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { PostServices } from './services.ts'

/**
 * Refuses a change after which an account's drafts would be too many or too large. Call it after the change, with the
 * account locked: two requests at the same time could otherwise both take the last place. A change that makes the drafts
 * smaller is always allowed, even after an operator lowered the quota.
 */
export async function requireDraftQuota(
  tx: Tx,
  { config: { draftQuota: quota } }: PostServices,
  accountId: string,
): Promise<void> {
  const { rows } = await sql<{ drafts: number; bytes: string }>`
    SELECT count(*)::int AS drafts, coalesce(sum(octet_length(free_markdown) + octet_length(paid_markdown)), 0) AS bytes
    FROM posts WHERE account_id = ${accountId} AND status = 'draft'`.execute(tx)
  const { drafts, bytes } = rows[0]!
  if (drafts > quota.count || Number(bytes) > quota.bytes)
    refuse(draftQuota, { maxDrafts: quota.count, maxDraftBytes: quota.bytes })
}

interface Texts {
  readonly free_markdown: string
  readonly paid_markdown: string
}

export const isLonger = (after: Texts, before: Texts): boolean => bytesOf(after) > bytesOf(before)

const bytesOf = ({ free_markdown, paid_markdown }: Texts): number =>
  Buffer.byteLength(free_markdown) + Buffer.byteLength(paid_markdown)
