import { sql } from 'kysely'
import { lockAccount } from '../accounts/account-store.ts'
import type { Clock } from '../platform/clock.ts'
import { type Db, oneOf, type Tx } from '../platform/database/database.ts'
import { moveAttachment } from './attachment-store.ts'
import type { ReadyAttachment } from './attachment-view.ts'
import { cancelOperation } from './cancel-operation.ts'
import type { ProfileImageKind } from './operation-store.ts'

/** A post's uploads as readers and publishing rules see them. Database triggers keep this row up to date. */
export interface PostUploads {
  /** Number of ZIPs that readers can get: ready, and not held for review. */
  readonly ready_count: number
  /** Number of ZIPs that are pending or ready. */
  readonly active_count: number
  readonly attachments: ReadyAttachment[]
  readonly og_path: string | null
  /** Paths of inline images by node key. */
  readonly image_paths: Record<string, string>
}

export const noUploads: PostUploads = {
  ready_count: 0,
  active_count: 0,
  attachments: [],
  og_path: null,
  image_paths: {},
}

/** Tells whether a ZIP that the author wants is still being checked, was rejected, or is held for review. */
export const hasUnresolvedZip = ({
  ready_count,
  active_count,
}: Pick<PostUploads, 'ready_count' | 'active_count'>): boolean => ready_count < active_count

/** Returns an entry for every given post, including posts without uploads. */
export async function uploadsOfPosts(db: Db | Tx, postIds: readonly string[]): Promise<Map<string, PostUploads>> {
  const { rows } = await sql<PostUploads & { post_id: string }>`
    SELECT post_id, ready_count, active_count, attachments, og_path, image_paths
    FROM post_uploads WHERE post_id ${oneOf(postIds)}`.execute(db)
  const found = new Map<string, PostUploads>(rows.map((row) => [row.post_id, row]))
  return new Map(postIds.map((id) => [id, found.get(id) ?? noUploads]))
}

/** Cancels all uploads of a draft that is about to be deleted. Called before the row is deleted, under its lock. */
export async function cancelUploadsOfPost(tx: Tx, clock: Clock, postId: string): Promise<void> {
  const { rows } = await sql<{ id: string; attachment_id: string | null }>`
    SELECT operation.id, zip.id AS attachment_id FROM upload_operations operation
    LEFT JOIN attachments zip ON zip.operation_id = operation.id
    WHERE operation.target_id = ${postId} AND operation.target_kind IN ('inline', 'og', 'attachment')
      AND operation.desired ORDER BY operation.id`.execute(tx)
  for (const { id, attachment_id: attachmentId } of rows) {
    if (attachmentId) await moveAttachment(tx, attachmentId, 'remove')
    await cancelOperation(tx, clock, id, 'post')
  }
}

/** Cancels a profile's avatar or header: the one that is shown and those still being uploaded or checked. */
export async function cancelProfileImageUploads(
  tx: Tx,
  clock: Clock,
  accountId: string,
  kind: ProfileImageKind,
): Promise<void> {
  await lockAccount(tx, accountId)
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM upload_operations
    WHERE account_id = ${accountId} AND target_id = ${accountId} AND target_kind = ${kind} AND desired
      AND state IN ('receiving', 'queued', 'checking', 'cleared') ORDER BY id`.execute(tx)
  for (const { id } of rows) await cancelOperation(tx, clock, id, 'owner')
}
