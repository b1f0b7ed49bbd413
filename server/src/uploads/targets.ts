import type { Db, Tx } from '../platform/database/database.ts'

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
  moveRevision(tx: Tx, post: TargetPost, now: Date): Promise<void>
  /** Shows an image on a Profile; null shows none. */
  showProfileImage(tx: Tx, accountId: string, kind: 'avatar' | 'header', path: string | null): Promise<void>
}
