import { Uuid } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { lockAccount } from '../accounts/account-store.ts'
import { notify } from '../notifications/notify.ts'
import type { Tx } from '../platform/database/database.ts'
import { faultPoint } from '../platform/fault-point.ts'
import { changePost, lockPost, type PostRow } from './post-store.ts'
import { findBlockers, publishLockedPost } from './publication.ts'
import type { Job, PostServices } from './services.ts'

const payload = z.object({ postId: Uuid, emailSubscribers: z.boolean() })

/**
 * Publishes a post at the time that its author has chosen, in its state at that time. If something prevents that, the
 * author is notified and the schedule ends. A post whose schedule was cancelled or moved meanwhile is left alone.
 */
export const publishScheduledPost: Job<typeof payload> = {
  name: 'publish-scheduled-post',
  payload,
  attempts: 12,
  share: 'notifications',
  async run(services, { postId, emailSubscribers }) {
    await withDuePost(services, postId, async (tx, post, isSuspended) => {
      const problems = isSuspended ? ['Your account is suspended.'] : await findProblems(tx, services, post)
      if (problems.length > 0) await endSchedule(tx, services, post, problems)
      else if ((await publishLockedPost(tx, services, post, { emailSubscribers })).emailed === 'limit_reached')
        await reportMissingEmails(tx, services, post)
      faultPoint('schedule-uncommitted')
    })
    faultPoint('schedule-committed')
  },
  onLastFailure: (services, { postId }) =>
    withDuePost(services, postId, (tx, post) =>
      endSchedule(tx, services, post, ['Something went wrong on our side. Publish it yourself, or schedule it again.']),
    ),
}

async function withDuePost(
  { db, clock }: PostServices,
  postId: string,
  act: (tx: Tx, post: PostRow, isSuspended: boolean) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const owner = await tx.selectFrom('posts').select('account_id').where('id', '=', postId).executeTakeFirst()
    if (!owner) return
    // The order of locks: an account before what belongs to it.
    const { suspended_at } = await lockAccount(tx, owner.account_id)
    const post = await lockPost(tx, postId)
    if (!post?.scheduled_for || post.scheduled_for > clock.now() || post.status === 'published') return
    await act(tx, post, suspended_at !== null)
  })
}

async function findProblems(tx: Tx, services: PostServices, post: PostRow): Promise<string[]> {
  if (post.withdrawn_by_admin_at) return ['An administrator has withdrawn this post.']
  const blockers = await findBlockers(tx, services, post, services.origins.base)
  return blockers.map(({ message }) => message)
}

const reportMissingEmails = (tx: Tx, { clock }: PostServices, post: PostRow): Promise<unknown> =>
  notify(
    tx,
    { clock },
    {
      kind: 'account_issue',
      origin: `mailing:${post.id}`,
      actorId: null,
      postId: post.id,
      title: `“${post.title}” was published, but not emailed`,
      body: 'As many of your posts as this site allows in 24 hours were emailed to your subscribers before it.',
      url: `/studio/posts/${post.id}`,
    },
    [{ recipientId: post.account_id }],
  )

const timeOf = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

async function endSchedule(tx: Tx, { clock }: PostServices, post: PostRow, problems: string[]): Promise<void> {
  const scheduledFor = post.scheduled_for!
  await changePost(tx, post, { scheduled_for: null }, clock.now())
  const event = {
    kind: 'account_issue',
    origin: `schedule:${post.id}:${scheduledFor.getTime()}`,
    actorId: null,
    postId: post.id,
    title: `“${post.title}” was not published`,
    body: `It was scheduled for ${timeOf(scheduledFor)}. ${problems.join(' ')}`,
    url: `/studio/posts/${post.id}`,
  } as const
  await notify(tx, { clock }, event, [{ recipientId: post.account_id }])
}
