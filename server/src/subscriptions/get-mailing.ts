import type { getMailing as declared } from '@pennypost/contract/mailings'
import { postNotFound } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { findOwnPost } from '../posts/post-store.ts'
import { findMailing } from './mailing-store.ts'
import type { Handler } from './services.ts'

export const getMailing: Handler<typeof declared> = async ({ db }, { caller, params }) => {
  if (!(await findOwnPost(db, caller.accountId, params.postId))) refuse(postNotFound)
  const found = await findMailing(db, params.postId)
  if (!found) return { status: 200, body: { mailing: null } }
  const { state, sent, failed, skipped, left, created_at, finished_at } = found
  return {
    status: 200,
    body: {
      mailing: {
        state,
        recipients: sent + failed + skipped + left,
        sent,
        failed,
        skipped,
        startedAt: created_at.toISOString(),
        finishedAt: finished_at?.toISOString() ?? null,
      },
    },
  }
}
