import {
  commentNotFound,
  commentNotYours,
  type DeleterRole,
  type deleteComment as declared,
} from '@pennypost/contract/comments'
import { recordAuditEntry } from '../accounts/audit-log-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import { type DeletableComment, findDeletableComment } from './removal-store.ts'
import { removeComment } from './remove-comment.ts'
import type { Handler } from './services.ts'

export const deleteComment: Handler<typeof declared> = async ({ db, clock }, { caller, params }) => {
  const { id, post_id, removal } = await db.transaction().execute(async (tx) => {
    const comment = (await findDeletableComment(tx, params.commentId)) ?? refuse(commentNotFound)
    const role = roleOf(caller.account, comment)
    // If the post is no longer public, only people who may delete the comment can know that it exists.
    if (!role) return refuse(comment.is_public ? commentNotYours : commentNotFound)
    const { removal, isFirst } = await removeComment(tx, clock, comment, role)
    if (isFirst && role === 'admin') {
      await recordAuditEntry(tx, {
        at: removal.deleted_at,
        actorId: caller.accountId,
        act: 'comment.delete',
        target: ['comment', comment.id],
      })
    }
    return { ...comment, removal }
  })
  const { deleted_at, deleted_by_role } = removal
  return { status: 200, body: { success: true, id, post_id, deleted_at: deleted_at.toISOString(), deleted_by_role } }
}

/** The caller's first matching role: author, post owner, administrator. */
function roleOf(account: { id: string; is_admin: boolean }, comment: DeletableComment): DeleterRole | undefined {
  if (comment.author_id === account.id) return 'author'
  if (comment.post_owner_id === account.id) return 'post_owner'
  return account.is_admin ? 'admin' : undefined
}
