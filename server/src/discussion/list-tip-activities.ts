import { publicPostNotFound } from '@pennypost/contract/discovery'
import type { listTipActivities as declared } from '@pennypost/contract/tips'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findDiscussedPost } from './discussed-post-store.ts'

/** Nobody can tip yet: whoever builds tips reads them here. */
export const listTipActivities: Handler<typeof declared> = async ({ pool }, { params }) => {
  if (!(await findDiscussedPost(pool, params.postId))) refuse(publicPostNotFound)
  return { status: 200, body: [] }
}
