import {
  attachmentsUnresolved,
  type publishPost as declared,
  postNotFound,
  postState,
  profileIncomplete,
  publicationBlocked,
} from '@pennypost/contract/posts'
import { lockAccount } from '../accounts/account-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import { announcePost } from '../profiles/follows/announce-post.ts'
import { hasUnresolvedZip, uploadsOfPosts } from '../uploads/post-uploads.ts'
import { checkRevision } from '../uploads/revision.ts'
import { findAuthor } from './author-store.ts'
import { indexPosts } from './catalog/catalog-store.ts'
import { postBlockers } from './post-rules.ts'
import { lockOwnPost, movePost } from './post-store.ts'
import { priceTerms } from './post-view.ts'
import { offersOf } from './pricing.ts'
import { readOwnPost } from './read-own-post.ts'
import type { Handler } from './services.ts'

export const publishPost: Handler<typeof declared> = async (services, { caller, params, headers, origin }) => {
  const { db, clock } = services
  await db.transaction().execute(async (tx) => {
    // The lock makes sure that the receiving address cannot be cleared while the post is being published.
    await lockAccount(tx, caller.accountId)
    const current = (await lockOwnPost(tx, caller.accountId, params.postId)) ?? refuse(postNotFound)
    checkRevision(BigInt(current.updated_us), headers['x-post-revision'])
    if (current.status === 'published') return
    if (current.withdrawn_by_admin_at)
      refuse(postState, {}, { detail: 'An administrator has withdrawn this post. It cannot be published again.' })
    const author = await findAuthor(tx, caller.accountId)
    const uploads = (await uploadsOfPosts(tx, [current.id])).get(current.id)!
    const terms = priceTerms(services, current, author, origin, uploads.active_count > 0)
    const blockers = postBlockers(current, author, offersOf(terms), uploads)
    const errors = blockers.map(({ code, field, message }) => ({ field, code, message }))
    const profile = errors.filter(({ code }) => code === 'profile-incomplete')
    if (profile.length > 0) refuse(profileIncomplete, { errors: profile })
    if (hasUnresolvedZip(uploads)) refuse(attachmentsUnresolved)
    if (errors.length > 0) refuse(publicationBlocked, { errors })
    await movePost(tx, current, 'publish', clock.now())
    await indexPosts(tx, [current.id])
    if (current.published_at === null) await announcePost(tx, clock, current)
  })
  return { status: 200, body: await readOwnPost(services, caller.accountId, params.postId, origin) }
}
