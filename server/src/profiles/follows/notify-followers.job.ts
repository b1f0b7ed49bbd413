import { sql } from 'kysely'
import { z } from 'zod'
import { maxRecipients, notify } from '../../notifications/notify.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/jobs/job.ts'
import type { Job } from '../services.ts'

const payload = z.object({ postId: z.uuid(), after: z.uuid().nullable() })

interface AnnouncedPost {
  readonly account_id: string
  readonly title: string
  readonly description: string
  readonly author_name: string
}

/**
 * Notifies one batch of followers of a new post and enqueues the next batch in the same transaction. If the process is
 * killed, no batch is skipped and nobody is notified twice. Stops if the post has been unpublished.
 */
export const notifyFollowers: Job<typeof payload> = {
  name: 'notify-followers',
  payload,
  attempts: 20,
  share: 'notifications',
  async run(services, { postId, after }) {
    const { db, clock } = services
    await db.transaction().execute(async (tx) => {
      const post = await findAnnouncedPost(tx, postId)
      if (!post) return
      const followers = await listFollowersAfter(tx, { postId, creatorId: post.account_id }, after, maxRecipients)
      const event = {
        kind: 'new_post' as const,
        origin: `post:${postId}`,
        actorId: post.account_id,
        postId,
        title: `${post.author_name} published “${post.title}”`,
        body: post.description,
        url: `/posts/${postId}`,
      }
      const recipients = followers.filter(({ notify_new_posts: isOn }) => isOn)
      await notify(
        tx,
        services,
        event,
        recipients.map((follow) => ({
          recipientId: follow.follower_id,
          inApp: follow.notify_channel_inapp,
          email: follow.notify_channel_email && !follow.is_subscribed,
        })),
      )
      // The key allows one next batch for each post, even if this batch runs twice.
      const next = { postId, after: followers.at(-1)?.follower_id ?? null }
      if (followers.length === maxRecipients)
        await enqueue(tx, clock, notifyFollowers, next, { key: `notify-followers:${postId}` })
    })
  },
}

async function findAnnouncedPost(tx: Tx, postId: string): Promise<AnnouncedPost | undefined> {
  const { rows } = await sql<AnnouncedPost>`
    SELECT posts.account_id, posts.title, posts.description, a.name AS author_name
    FROM posts JOIN accounts a ON a.id = posts.account_id
    WHERE posts.id = ${postId} AND posts.status = 'published'`.execute(tx)
  return rows[0]
}

interface AnnouncedTo {
  readonly follower_id: string
  readonly notify_new_posts: boolean
  readonly notify_channel_inapp: boolean
  readonly notify_channel_email: boolean
  /** Whether they get the post itself by email, because their address is subscribed. A second email would be one too many. */
  readonly is_subscribed: boolean
}

async function listFollowersAfter(
  tx: Tx,
  { postId, creatorId }: { readonly postId: string; readonly creatorId: string },
  after: string | null,
  limit: number,
): Promise<AnnouncedTo[]> {
  const { rows } = await sql<AnnouncedTo>`
    SELECT follow.follower_id, notify_new_posts, notify_channel_inapp, notify_channel_email,
      notify_channel_email AND EXISTS (
        SELECT FROM post_mailings mailing
          JOIN accounts follower ON follower.id = follow.follower_id
          JOIN subscribers subscriber ON subscriber.creator_id = mailing.creator_id AND subscriber.email = follower.email
        WHERE mailing.post_id = ${postId} AND subscriber.position <= mailing.last_position) AS is_subscribed
    FROM follows follow
    WHERE creator_id = ${creatorId} AND follower_id > ${after ?? '00000000-0000-0000-0000-000000000000'}
    ORDER BY follower_id LIMIT ${limit}`.execute(tx)
  return rows
}
