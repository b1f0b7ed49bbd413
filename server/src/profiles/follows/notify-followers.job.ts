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
      const followers = await listFollowersAfter(tx, post.account_id, after, maxRecipients)
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
          email: follow.notify_channel_email,
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

const listFollowersAfter = (tx: Tx, creatorId: string, after: string | null, limit: number) =>
  tx
    .selectFrom('follows')
    .select(['follower_id', 'notify_new_posts', 'notify_channel_inapp', 'notify_channel_email'])
    .where('creator_id', '=', creatorId)
    .$if(after !== null, (query) => query.where('follower_id', '>', after!))
    .orderBy('follower_id')
    .limit(limit)
    .execute()
