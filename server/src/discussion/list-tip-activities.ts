import { publicPostNotFound } from '@pennypost/contract/discovery'
import { type listTipActivities as declared, maxListedTips } from '@pennypost/contract/tip-lists'
import { maybePersonView } from '../accounts/person-view.ts'
import { pageOf, readCursor, TimePosition } from '../platform/cursor.ts'
import { refuse } from '../platform/http/refuse.ts'
import { findDiscussedPost } from './discussed-post-store.ts'
import type { Handler } from './services.ts'
import { listTipRows } from './tip-store.ts'

export const listTipActivities: Handler<typeof declared> = async ({ pool }, { params, query, origin }) => {
  if (!(await findDiscussedPost(pool, params.postId))) refuse(publicPostNotFound)
  const after = query.cursor === undefined ? undefined : readCursor(TimePosition, query.cursor)
  const tips = await listTipRows(pool, params.postId, maxListedTips + 1, after)
  const { rows, pagination } = pageOf(tips, maxListedTips, ({ received_at, id }) => [received_at, id])
  const next =
    pagination.nextCursor && `${origin}/api/posts/${params.postId}/tip-activities?cursor=${pagination.nextCursor}`
  return {
    status: 200,
    headers: next ? { link: `<${next}>; rel="next"` } : {},
    body: rows.map((tip) => ({
      id: tip.id,
      asset: tip.asset,
      amountReceivedRaw: tip.asset === 'XNO' ? tip.amount_raw : '0',
      amountReceivedAtomic: tip.asset === 'USDC' ? tip.amount_raw : null,
      tipper: maybePersonView(tip, origin),
      message: tip.message,
      createdAt: tip.received_at.toISOString(),
    })),
  }
}
