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
  moderate(services, caller, params.postId, { act: 'post.withdraw', note: body.note }, barLockedPost)

export const restorePost: Handler<typeof declaredRestore> = (services, { caller, params, body }) =>
  moderate(services, caller, params.postId, { act: 'post.restore', note: body.note }, async (tx, post) => {
    if (post.withdrawn_by_admin_at) await setAdminWithdrawal(tx, post.id, null)
    return post.withdrawn_by_admin_at !== null
  })

/** Withdraws a post and bars its author from publishing it again. Returns false if it was already barred. */
export async function barLockedPost(tx: Tx, post: PostRow, now: Date): Promise<boolean> {
  await withdrawLockedPost(tx, post, now)
  if (post.withdrawn_by_admin_at === null) await setAdminWithdrawal(tx, post.id, now)
  return post.withdrawn_by_admin_at === null
}

async function moderate(
  { db, clock }: PostServices,
  caller: OwnerCaller,
  postId: string,
  { act, note }: { act: string; note: string | undefined },
  change: (tx: Tx, post: PostRow, now: Date) => Promise<boolean>,
) {
  requireAdmin(caller)
  const now = clock.now()
  const { status, withdrawn_by_admin_at } = await db.transaction().execute(async (tx) => {
    const post = await lockPost(tx, postId)
    // Administrators have no access to drafts.
    if (!post || post.status === 'draft') return refuse(moderatedPostNotFound)
    const details = note === undefined ? {} : { note }
    if (await change(tx, post, now))
      await recordAuditEntry(tx, { at: now, actorId: caller.accountId, act, target: ['post', postId], details })
    return (await lockPost(tx, postId))!
  })
  const shownStatus = status === 'published' ? ('published' as const) : ('withdrawn' as const)
  return {
    status: 200 as const,
    body: { postId, status: shownStatus, withdrawnByAdminAt: withdrawn_by_admin_at?.toISOString() ?? null },
  }
}
