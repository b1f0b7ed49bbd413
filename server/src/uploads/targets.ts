import { lockAccount } from '../accounts/account-store.ts'
import type { Db, Tx } from '../platform/database/database.ts'
import { isProfileImage, type Operation, type ProfileImageKind } from './operation-store.ts'

/** A post, as far as uploads need it. */
export interface TargetPost {
  readonly id: string
  readonly updatedUs: bigint
  readonly hasPaywall: boolean
}

/**
 * The functions through which uploads change posts and profiles. This room must not import those rooms, so it is given
 * their functions at assembly. Reads use joins instead.
 */
export interface UploadTargets {
  findPost(db: Db | Tx, accountId: string, postId: string): Promise<TargetPost | undefined>
  lockPost(tx: Tx, accountId: string, postId: string): Promise<TargetPost | undefined>
  /** Gives the post a new revision because an upload became part of it. */
  advanceRevision(tx: Tx, post: TargetPost, now: Date): Promise<void>
  showProfileImage(tx: Tx, accountId: string, kind: ProfileImageKind, path: string): Promise<void>
  /** Removes an image from a profile if the profile shows it. Another image stays. */
  hideProfileImage(tx: Tx, accountId: string, kind: ProfileImageKind, path: string): Promise<void>
}

/**
 * Locks an operation's target. Always before the operation itself, to avoid deadlocks. Returns undefined for a profile,
 * and for a post that has been deleted.
 */
export async function lockTarget(
  tx: Tx,
  targets: UploadTargets,
  { account_id, target_kind, target_id }: Pick<Operation, 'account_id' | 'target_kind' | 'target_id'>,
): Promise<TargetPost | undefined> {
  if (!isProfileImage(target_kind)) return targets.lockPost(tx, account_id, target_id)
  await lockAccount(tx, account_id)
  return undefined
}
