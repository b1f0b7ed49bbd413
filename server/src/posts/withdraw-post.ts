import { type withdrawPost as declared, postNotFound, postState } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { unpinPost } from '../profiles/profile-store.ts'
import type { Handler } from '../services.ts'
import { checkRevision } from '../uploads/revision.ts'
import { lockOwnPost, movePost } from './post-store.ts'
import { readOwnPost } from './read-own-post.ts'

export const withdrawPost: Handler<typeof declared> = async (services, { caller, params, headers, origin }) => {
  const { db, clock } = services
  await db.transaction().execute(async (tx) => {
    const current = (await lockOwnPost(tx, caller.accountId, params.postId)) ?? refuse(postNotFound)
    checkRevision(BigInt(current.updated_us), headers['x-post-revision'])
    if (current.status === 'withdrawn') return
    if (!(await movePost(tx, current, 'withdraw', clock.now())))
      refuse(postState, {}, { detail: 'Only a published Post can be withdrawn.' })
    // Decisions §4: withdrawing a pinned Post clears the pin.
    await unpinPost(tx, current.id)
  })
  return { status: 200, body: await readOwnPost(services, caller.accountId, params.postId, origin) }
}
