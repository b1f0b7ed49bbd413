import { publicPostNotFound } from '@pennypost/contract/discovery'
import type { reactToPost as declared } from '@pennypost/contract/reactions'
import { refuse } from '../platform/http/refuse.ts'
import { lockPostFigures } from '../posts/post-figures.ts'
import { findDiscussedPostInTx, lockDiscussedPostShared } from './discussed-post-store.ts'
import { postTarget, saveReaction } from './reaction-store.ts'
import { summaryView } from './reaction-view.ts'
import type { Handler } from './services.ts'

export const reactToPost: Handler<typeof declared> = async ({ db, clock }, { caller, params, body }) => {
  const { postId } = params
  const { reaction } = body
  const counts = await db.transaction().execute(async (tx) => {
    if (!(await findDiscussedPostInTx(tx, postId))) refuse(publicPostNotFound)
    await lockPostFigures(tx, postId)
    if (!(await lockDiscussedPostShared(tx, postId))) refuse(publicPostNotFound)
    return saveReaction(tx, postTarget, postId, { accountId: caller.accountId, reaction, now: clock.now() })
  })
  return { status: 200, body: { summary: summaryView({ ...counts, viewer_reaction: reaction }) } }
}
