import { postNotFound, postState } from '@pennypost/contract/posts'
import type { unschedulePost as declared } from '@pennypost/contract/publishing'
import { refuse } from '../platform/http/refuse.ts'
import { removeJob } from '../platform/jobs/job.ts'
import { checkRevision } from '../uploads/revision.ts'
import { changePost, lockOwnPost } from './post-store.ts'
import { publicationKey } from './publication.ts'
import { readOwnPost } from './read-own-post.ts'
import type { Handler } from './services.ts'

export const unschedulePost: Handler<typeof declared> = async (services, { caller, params, headers, origin }) => {
  const { db, clock } = services
  await db.transaction().execute(async (tx) => {
    const current = (await lockOwnPost(tx, caller.accountId, params.postId)) ?? refuse(postNotFound)
    checkRevision(BigInt(current.updated_us), headers['x-post-revision'])
    if (current.status === 'published')
      refuse(postState, {}, { detail: 'This post is published already. Unpublish it instead.' })
    if (current.scheduled_for === null) return
    await changePost(tx, current, { scheduled_for: null }, clock.now())
    await removeJob(tx, publicationKey(current.id))
  })
  return { status: 200, body: await readOwnPost(services, caller.accountId, params.postId, origin) }
}
