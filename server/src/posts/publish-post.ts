import {
  type publishPost as declared,
  postNotFound,
  profileIncomplete,
  publicationBlocked,
} from '@pennypost/contract/posts'
import { lockAccount } from '../accounts/account-store.ts'
import { announcePost } from '../follows/announce-post.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findAuthor } from './author-store.ts'
import { postBlockers } from './post-rules.ts'
import { lockOwnPost, movePost } from './post-store.ts'
import { priceTerms } from './post-view.ts'
import { offersOf } from './pricing.ts'
import { readOwnPost } from './read-own-post.ts'
import { checkRevision } from './revision.ts'

export const publishPost: Handler<typeof declared> = async (services, { caller, params, headers, origin }) => {
  const { db, clock } = services
  await db.transaction().execute(async (tx) => {
    // Under the account's lock, so that its receiving address cannot go while the Post becomes public.
    await lockAccount(tx, caller.accountId)
    const current = (await lockOwnPost(tx, caller.accountId, params.postId)) ?? refuse(postNotFound)
    checkRevision(BigInt(current.updated_us), headers['x-post-revision'])
    // Publishing twice changes nothing.
    if (current.status === 'published') return
    const author = await findAuthor(tx, caller.accountId)
    const blockers = postBlockers(current, author, offersOf(priceTerms(services, current, author, origin)))
    const errors = blockers.map(({ code, field, message }) => ({ field, code, message }))
    const profile = errors.filter(({ code }) => code === 'profile-incomplete')
    if (profile.length > 0) refuse(profileIncomplete, { errors: profile })
    if (errors.length > 0) refuse(publicationBlocked, { errors })
    await movePost(tx, current, 'publish', clock.now())
    if (current.published_at === null) await announcePost(tx, clock, current)
  })
  return { status: 200, body: await readOwnPost(services, caller.accountId, params.postId, origin) }
}
