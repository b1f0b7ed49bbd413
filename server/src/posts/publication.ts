import type { Blocker } from '@pennypost/contract/me'
import type { EmailedToSubscribers } from '@pennypost/contract/publishing'
import { inAnyOrder, type Tx } from '../platform/database/database.ts'
import { removeJob } from '../platform/jobs/job.ts'
import { announcePost } from '../profiles/follows/announce-post.ts'
import { announce } from '../webhooks/announce.ts'
import { type Author, findPostParts, type PostParts } from './author-store.ts'
import { findTerms, indexPosts } from './catalog/catalog-store.ts'
import { postBlockers } from './post-rules.ts'
import { movePost, type PostRow } from './post-store.ts'
import { keepVersion } from './post-version-store.ts'
import { priceTerms } from './post-view.ts'
import { offersOf } from './pricing.ts'
import type { PostServices } from './services.ts'

/** Whether a post can be published, and what that was decided from. */
export interface Readiness extends PostParts {
  /** Everything that prevents it. */
  readonly blockers: Blocker[]
}

/** Checks whether a locked post can be published now. Its account must be locked too. */
export async function checkReadiness(
  tx: Tx,
  services: PostServices,
  post: PostRow,
  origin: string,
): Promise<Readiness> {
  const parts = await findPostParts(tx, post.account_id, post.id)
  const { author, uploads } = parts
  const terms = priceTerms(services, post, author, origin, uploads.active_count > 0)
  return { ...parts, blockers: postBlockers(post, author, offersOf(terms), uploads) }
}

/** Everything that prevents a locked post from being published now. Its account must be locked too. */
export const findBlockers = async (tx: Tx, services: PostServices, post: PostRow, origin: string): Promise<Blocker[]> =>
  (await checkReadiness(tx, services, post, origin)).blockers

export interface Publication {
  /** The post as it is now. */
  readonly post: PostRow
  readonly emailed: EmailedToSubscribers
}

/** Publishes a locked post that nothing blocks, and ends its schedule. Its account is locked too, so `author` is still true. */
export async function publishLockedPost(
  tx: Tx,
  services: PostServices,
  post: PostRow,
  { emailSubscribers, author }: { readonly emailSubscribers: boolean; readonly author?: Author },
): Promise<Publication> {
  // Publishing changes nothing that the terms are made of, so they are computed while the database writes.
  const searched = author && { ...author, ...post, paid_text: post.search_paid_content ? post.paid_text : '' }
  const [published, terms] = await inAnyOrder(
    keepVersion(tx, post, 'publish').then(() => movePost(tx, post, 'publish', services.clock.now())),
    searched && findTerms(tx, searched),
  )
  if (post.scheduled_for) await removeJob(tx, publicationKey(post.id))
  const isFirstTime = post.published_at === null
  const [, emailed] = await inAnyOrder(
    indexPosts(tx, [post.id], terms),
    isFirstTime ? announceFirst(tx, services, post, emailSubscribers) : Promise.resolve('none' as const),
  )
  return { post: published!, emailed }
}

async function announceFirst(
  tx: Tx,
  { clock, mailSubscribers }: PostServices,
  post: PostRow,
  emailSubscribers: boolean,
): Promise<EmailedToSubscribers> {
  const data = { id: post.id, title: post.title, path: `/posts/${post.id}` }
  const event = { accountId: post.account_id, type: 'post.published', origin: `published:${post.id}`, data } as const
  // Subscribers first: followers who also subscribe get this email and no second one about the same post.
  const emailed = emailSubscribers ? await mailSubscribers(tx, post) : 'none'
  await announcePost(tx, clock, post)
  await announce(tx, { clock }, event)
  return emailed
}

/** The key of the job that publishes a post later. A post has at most one of these jobs. */
export const publicationKey = (postId: string): string => `publish:${postId}`
