import { commentNotFound } from '@pennypost/contract/comments'
import type { listCommentSupporters as declared } from '@pennypost/contract/tip-lists'
import { maybePersonView } from '../accounts/person-view.ts'
import { refuse } from '../platform/http/refuse.ts'
import { isPublicComment } from './comment-store.ts'
import type { Handler } from './services.ts'
import { listSupporterRows } from './tip-store.ts'

export const listCommentSupporters: Handler<typeof declared> = async ({ pool }, { params, origin }) => {
  if (!(await isPublicComment(pool, params.commentId, params.postId))) refuse(commentNotFound)
  const supporters = await listSupporterRows(pool, params.commentId)
  return {
    status: 200,
    body: supporters.map((row) => ({
      tipper: maybePersonView(row, origin),
      tipAmountRaw: givenIn(row.tip_total_raw),
      tipAmountAtomic: givenIn(row.tip_total_atomic),
    })),
  }
}

/** Null: nothing was given in this asset. */
const givenIn = (total: string): string | null => (total === '0' ? null : total)
