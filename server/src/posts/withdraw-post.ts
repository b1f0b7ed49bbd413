import { postNotFound, postState } from '@pennypost/contract/posts'
import type { withdrawPost as declared } from '@pennypost/contract/publishing'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { unpinPost } from '../profiles/profile-store.ts'
import { checkRevision } from '../uploads/revision.ts'
import { indexPosts } from './catalog/catalog-store.ts'
import { lockOwnPost, movePost, type PostRow } from './post-store.ts'
import { readOwnPost } from './read-own-post.ts'
import type { Handler } from './services.ts'

export const withdrawPost: Handler<typeof declared> = async (services, { caller, params, headers, origin }) => {
  const { db, clock } = services
  await db.transaction().execute(async (tx) => {
    const current = (await lockOwnPost(tx, caller.accountId, params.postId)) ?? refuse(postNotFound)
    checkRevision(BigInt(current.updated_us), headers['x-post-revision'])
    if (current.status === 'withdrawn') return
    if (!(await withdrawLockedPost(tx, current, clock.now())))
      refuse(postState, {}, { detail: 'Only a published post can be unpublished.' })
  })
  return { status: 200, body: await readOwnPost(services, caller.accountId, params.postId, origin) }
}

/** Withdraws a locked post, for its author or an administrator. Returns false if it is not published. */
export async function withdrawLockedPost(tx: Tx, post: PostRow, now: Date): Promise<boolean> {
  if (!(await movePost(tx, post, 'withdraw', now))) return false
  await indexPosts(tx, [post.id])
  // Withdrawing a pinned post also unpins it.
  await unpinPost(tx, post.id)
  return true
}
