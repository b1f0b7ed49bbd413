import { validation } from '@pennypost/contract/errors'
import {
  attachmentsUnresolved,
  postNotFound,
  postState,
  profileIncomplete,
  publicationBlocked,
} from '@pennypost/contract/posts'
import { type publishPost as declared, maxScheduleDays } from '@pennypost/contract/publishing'
import { lockOwnAccount } from '../accounts/account-store.ts'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { checkRevision } from '../uploads/revision.ts'
import { noFigures } from './post-figures.ts'
import { changePost, lockOwnPost, type PostRow } from './post-store.ts'
import { checkReadiness, type Publication, publicationKey, publishLockedPost, type Readiness } from './publication.ts'
import { publishScheduledPost } from './publish-scheduled-post.job.ts'
import { type KnownParts, viewOwnPost } from './read-own-post.ts'
import type { Handler, PostServices } from './services.ts'

export const publishPost: Handler<typeof declared> = async (services, { caller, params, headers, body, origin }) => {
  const { db, clock } = services
  const later = laterThan(clock.now(), body?.publishAt)
  const emailSubscribers = body?.emailSubscribers ?? true
  return db.transaction().execute(async (tx) => {
    // The lock makes sure that the receiving address cannot be cleared while the post is being published.
    await lockOwnAccount(tx, caller.accountId)
    const current = (await lockOwnPost(tx, caller.accountId, params.postId)) ?? refuse(postNotFound)
    checkRevision(BigInt(current.updated_us), headers['x-post-revision'])
    const { post, emailed, known } = await publish(tx, services, current, { later, emailSubscribers, origin })
    const view = await viewOwnPost(services, tx, post, origin, known)
    return { status: 200, body: { ...view, emailSubscribers: emailed } }
  })
}

interface Wanted {
  /** When to publish it, if not now. */
  readonly later: Date | undefined
  readonly emailSubscribers: boolean
  readonly origin: string
}

async function publish(
  tx: Tx,
  services: PostServices,
  current: PostRow,
  { later, emailSubscribers, origin }: Wanted,
): Promise<Publication & { readonly known: KnownParts }> {
  if (current.status === 'published') {
    if (later) refuse(postState, {}, { detail: 'This post is published already, so it cannot be scheduled.' })
    return { post: current, emailed: 'none', known: {} }
  }
  if (current.withdrawn_by_admin_at)
    refuse(postState, {}, { detail: 'An administrator has withdrawn this post. It cannot be published again.' })
  const { author, uploads, tags } = await requireNoBlockers(tx, services, current, origin)
  // Nobody can have seen a post before it is published for the first time.
  const known = { author, uploads, tags, ...(current.published_at === null && { figures: noFigures }) }
  if (!later) return { ...(await publishLockedPost(tx, services, current, { emailSubscribers, author })), known }
  return { post: await schedulePost(tx, services, current, { at: later, emailSubscribers }), emailed: 'none', known }
}

const dayMs = 86_400_000

/** The time of a later publication. Undefined if the post is to be published now. */
function laterThan(now: Date, publishAt: string | undefined): Date | undefined {
  if (publishAt === undefined) return undefined
  const at = new Date(publishAt)
  if (at <= now) return undefined
  if (at.getTime() > now.getTime() + maxScheduleDays * dayMs) {
    const message = `must be at most ${maxScheduleDays} days ahead`
    refuse(validation, { errors: [{ field: 'publishAt', code: 'out_of_range', message }] })
  }
  return at
}

async function requireNoBlockers(tx: Tx, services: PostServices, post: PostRow, origin: string): Promise<Readiness> {
  const readiness = await checkReadiness(tx, services, post, origin)
  const errors = readiness.blockers.map(({ code, field, message }) => ({ field, code, message }))
  const profile = errors.filter(({ code }) => code === 'profile-incomplete')
  if (profile.length > 0) refuse(profileIncomplete, { errors: profile })
  if (errors.some(({ code }) => code === 'attachments-unresolved')) refuse(attachmentsUnresolved)
  if (errors.length > 0) refuse(publicationBlocked, { errors })
  return readiness
}

/** Schedules a post. A new schedule replaces the previous one. */
async function schedulePost(
  tx: Tx,
  { clock }: PostServices,
  post: PostRow,
  { at, emailSubscribers }: { readonly at: Date; readonly emailSubscribers: boolean },
): Promise<PostRow> {
  const payload = { postId: post.id, emailSubscribers }
  await enqueue(tx, clock, publishScheduledPost, payload, { runAt: at, key: publicationKey(post.id) })
  return changePost(tx, post, { scheduled_for: at }, clock.now())
}
