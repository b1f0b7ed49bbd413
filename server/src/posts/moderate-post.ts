import type { OwnerCaller } from '@pennypost/contract/credential'
import {
  type barPost as declaredBar,
  type restorePost as declaredRestore,
  moderatedPostNotFound,
} from '@pennypost/contract/post-moderation'
import { recordAuditEntry } from '../accounts/audit-log-store.ts'
import { requireAdmin } from '../accounts/require-admin.ts'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { lockPost, type PostRow, setAdminWithdrawal } from './post-store.ts'
import type { Handler, PostServices } from './services.ts'
import { withdrawLockedPost } from './withdraw-post.ts'

export const barPost: Handler<typeof declaredBar> = (services, { caller, params, body }) =>
  moderate(services, caller, params.postId, { isHeld: true, note: body.note })

export const restorePost: Handler<typeof declaredRestore> = (services, { caller, params, body }) =>
  moderate(services, caller, params.postId, { isHeld: false, note: body.note })

/** Returns false if it was not barred. */
async function releaseLockedPost(tx: Tx, post: PostRow): Promise<boolean> {
  if (post.withdrawn_by_admin_at) await setAdminWithdrawal(tx, post.id, null)
  return post.withdrawn_by_admin_at !== null
}

/** Withdraws a post and bars its author from publishing it again. Returns false if it was already barred. */
export async function barLockedPost(tx: Tx, post: PostRow, now: Date): Promise<boolean> {
  await withdrawLockedPost(tx, post, now)
  if (post.withdrawn_by_admin_at === null) await setAdminWithdrawal(tx, post.id, now)
  return post.withdrawn_by_admin_at === null
}

interface Moderation {
  readonly postId: string
  /** Null for the operator. */
  readonly actorId: string | null
  readonly isHeld: boolean
  readonly note: string | undefined
}

/** Bars a post or allows it again, and records it in the audit log, in one transaction. Refuses drafts. */
export function holdPost(
  { db, clock }: Pick<PostServices, 'db' | 'clock'>,
  { postId, actorId, isHeld, note }: Moderation,
): Promise<PostRow> {
  const now = clock.now()
  return db.transaction().execute(async (tx) => {
    const post = await lockPost(tx, postId)
    // Administrators have no access to drafts.
    if (!post || post.status === 'draft') return refuse(moderatedPostNotFound)
    const details = note === undefined ? {} : { note }
    const act = isHeld ? 'post.withdraw' : 'post.restore'
    if (await (isHeld ? barLockedPost(tx, post, now) : releaseLockedPost(tx, post)))
      await recordAuditEntry(tx, { at: now, actorId, act, target: ['post', postId], details })
    return (await lockPost(tx, postId))!
  })
}

async function moderate(
  services: PostServices,
  caller: OwnerCaller,
  postId: string,
  change: Pick<Moderation, 'isHeld' | 'note'>,
) {
  requireAdmin(caller)
  const { status, withdrawn_by_admin_at } = await holdPost(services, { ...change, postId, actorId: caller.accountId })
  const shownStatus = status === 'published' ? ('published' as const) : ('withdrawn' as const)
  return {
    status: 200 as const,
    body: { postId, status: shownStatus, withdrawnByAdminAt: withdrawn_by_admin_at?.toISOString() ?? null },
  }
}
