import { lockAccount } from '../accounts/account-store.ts'
import type { Db, Tx } from '../platform/database/database.ts'
import type { Operation } from './operation-store.ts'

/** A Post as uploads see it. */
export interface TargetPost {
  readonly id: string
  readonly updatedUs: bigint
  readonly hasPaywall: boolean
}

/**
 * What uploads change about Posts and Profiles. Those rooms stand below this one, so app.ts hands their functions up;
 * what uploads only read of them they read by joins.
 */
export interface UploadTargets {
  findPost(db: Db | Tx, accountId: string, postId: string): Promise<TargetPost | undefined>
  lockPost(tx: Tx, accountId: string, postId: string): Promise<TargetPost | undefined>
  /** Something became part of the Post: its revision moves. */
  advanceRevision(tx: Tx, post: TargetPost, now: Date): Promise<void>
  showProfileImage(tx: Tx, accountId: string, kind: 'avatar' | 'header', path: string): Promise<void>
  /** Takes an image off a Profile, if that is what it shows; another one stays. */
  hideProfileImage(tx: Tx, accountId: string, kind: 'avatar' | 'header', path: string): Promise<void>
}

/** Before the operation itself, always in this order. Undefined for a Profile, and for a Post that is gone. */
export async function lockTarget(
  tx: Tx,
  targets: UploadTargets,
  { account_id, target_kind, target_id }: Operation,
): Promise<TargetPost | undefined> {
  if (target_kind !== 'avatar' && target_kind !== 'header') return targets.lockPost(tx, account_id, target_id)
  await lockAccount(tx, account_id)
  return undefined
}
