import { commentDeleted, commentNotFound } from '@pennypost/contract/comments'
import type { reactToComment as declared } from '@pennypost/contract/reactions'
import { refuse } from '../platform/http/refuse.ts'
import { commentTarget, lockComment, saveReaction } from './reaction-store.ts'
import { summaryView } from './reaction-view.ts'
import type { Handler } from './services.ts'

export const reactToComment: Handler<typeof declared> = async ({ db, clock }, { caller, params, body }) => {
  const { commentId } = params
  const { reaction } = body
  const counts = await db.transaction().execute(async (tx) => {
    const comment = (await lockComment(tx, commentId)) ?? refuse(commentNotFound)
    // Removing a reaction is always allowed.
    if (comment.deleted_at && reaction !== null) refuse(commentDeleted)
    return saveReaction(tx, commentTarget, commentId, { accountId: caller.accountId, reaction, now: clock.now() })
  })
  return { status: 200, body: { summary: summaryView({ ...counts, viewer_reaction: reaction }) } }
}
