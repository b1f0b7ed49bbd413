import {
  type deletePost as declared,
  financialHistoryRetained,
  postNotFound,
  postState,
} from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { removeJob } from '../platform/jobs/job.ts'
import { cancelUploadsOfPost } from '../uploads/post-uploads.ts'
import { requireRevision } from '../uploads/revision.ts'
import { hasFinancialHistory, lockOwnPost, removePost } from './post-store.ts'
import { publicationKey } from './publication.ts'
import type { Handler } from './services.ts'

export const deletePost: Handler<typeof declared> = async ({ db, clock }, { caller, params, headers }) => {
  const id = await db.transaction().execute(async (tx) => {
    const current = (await lockOwnPost(tx, caller.accountId, params.postId)) ?? refuse(postNotFound)
    requireRevision(BigInt(current.updated_us), headers['x-post-revision'])
    if (await hasFinancialHistory(tx, current.id)) refuse(financialHistoryRetained)
    if (current.status !== 'draft')
      refuse(postState, {}, { detail: 'Only drafts can be deleted. Unpublish this post instead.' })
    await cancelUploadsOfPost(tx, clock, current.id)
    await removeJob(tx, publicationKey(current.id))
    await removePost(tx, current.id)
    return current.id
  })
  return { status: 200, body: { id, deleted: true } }
}
