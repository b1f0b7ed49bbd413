import type { TargetPost, UploadTargets } from '../uploads/targets.ts'
import { indexPosts } from './catalog/catalog-store.ts'
import { changePost, findOwnPost, lockOwnPost, type PostRow } from './post-store.ts'

const targetOf = (post: PostRow): TargetPost => ({
  id: post.id,
  updatedUs: BigInt(post.updated_us),
  hasPaywall: post.has_paywall,
})

/** Implements the upload targets for posts. */
export const postUploadTargets: Omit<UploadTargets, 'showProfileImage' | 'hideProfileImage'> = {
  async findPost(db, accountId, postId) {
    const post = await findOwnPost(db, accountId, postId)
    return post && targetOf(post)
  },
  async lockPost(tx, accountId, postId) {
    const post = await lockOwnPost(tx, accountId, postId)
    return post && targetOf(post)
  },
  async advanceRevision(tx, { id, updatedUs }, now) {
    const post = await changePost(tx, { id, updated_us: updatedUs.toString() }, {}, now)
    if (post.status === 'published') await indexPosts(tx, [id])
  },
}
