import { publicPostNotFound } from '@pennypost/contract/discovery'
import type { listTipActivities as declared } from '@pennypost/contract/tip-lists'
import { maybePersonView } from '../accounts/person-view.ts'
import { refuse } from '../platform/http/refuse.ts'
import { findDiscussedPost } from './discussed-post-store.ts'
import type { Handler } from './services.ts'
import { listTipRows } from './tip-store.ts'

export const listTipActivities: Handler<typeof declared> = async ({ pool }, { params, origin }) => {
  if (!(await findDiscussedPost(pool, params.postId))) refuse(publicPostNotFound)
  const tips = await listTipRows(pool, params.postId)
  return {
    status: 200,
    body: tips.map((tip) => ({
      id: tip.id,
      amountReceivedRaw: tip.amount_raw,
      tipper: maybePersonView(tip, origin),
      message: tip.message,
      createdAt: tip.received_at.toISOString(),
    })),
  }
}
