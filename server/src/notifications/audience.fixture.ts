import { randomBytes, randomUUID } from 'node:crypto'
import { updateNotificationPreferences } from '@pennypost/contract/notification-preferences'
import { listNotifications } from '@pennypost/contract/notifications'
import { createAccount } from '../accounts/account-store.ts'
import { emptyPost } from '../posts/create-post.ts'
import { addPost } from '../posts/post-store.ts'
import type { Reader } from '../test/people.ts'
import type { Person } from '../test/person.ts'
import type { World } from '../test/world.ts'
import type { CommentEvent, CommentReason, NotificationEvent } from './notification-event.ts'
import { notify, notifyCommentCandidates, type Recipient } from './notify.ts'
import { saveSubscription } from './subscription-store.ts'

/** Registers them one after another, because the world runs its jobs one at a time. */
export async function readersIn(world: World, count: number): Promise<Reader[]> {
  const readers: Reader[] = []
  while (readers.length < count) readers.push(await world.reader())
  return readers
}

// Accounts and posts written straight to the database, for tests that need many of them.

export const accountIn = (world: World, { email }: { email?: string } = {}): Promise<string> =>
  world.services.db.transaction().execute(async (tx) => {
    const now = world.services.clock.now()
    return (await createAccount(tx, { ...(email !== undefined && { email }), isAnonymous: false, now }))!.id
  })

export const postBy = (world: World, accountId: string, status: 'draft' | 'published' = 'published'): Promise<string> =>
  world.services.db.transaction().execute(async (tx) => {
    const now = world.services.clock.now()
    const post = await addPost(tx, {
      ...emptyPost,
      id: randomUUID(),
      account_id: accountId,
      title: 'On engines',
      slug: 'on-engines',
      status,
      created_at: now,
      updated_us: '1',
      published_at: status === 'published' ? now : null,
    })
    return post.id
  })

export const subscribe = (world: World, accountId: string, endpoint = `https://push.example/${randomUUID()}`) =>
  world.services.db.transaction().execute((tx) =>
    saveSubscription(tx, {
      account_id: accountId,
      endpoint,
      p256dh: randomBytes(65).toString('base64url'),
      auth: randomBytes(16).toString('base64url'),
      expires_at: null,
      created_at: world.services.clock.now(),
    }),
  )

export const commentEvent = (postId: string, actorId: string): CommentEvent => ({
  commentId: randomUUID(),
  postId,
  postTitle: 'On engines',
  actorId,
  actorName: 'Ada',
  content: 'What  do you\nthink?',
})

/** A notification about a comment that is in the database. Messages are sent only while the comment exists. */
export async function storedCommentEvent(world: World, postId: string, actorId: string): Promise<CommentEvent> {
  const event = commentEvent(postId, actorId)
  await world.services.pool.query(
    `INSERT INTO comments (id, post_id, author_id, thread_root_id, content, created_at)
     VALUES ($1, $2, $3, $1, $4, clock_timestamp())`,
    [event.commentId, postId, actorId, event.content],
  )
  return event
}

export const testEvent = (change: Partial<NotificationEvent> = {}): NotificationEvent => ({
  kind: 'account_issue',
  origin: `issue:${randomUUID()}`,
  actorId: null,
  title: 'Something needs you',
  body: 'Have a look.',
  url: '/settings',
  ...change,
})

export const notifyAll = (
  world: World,
  event: NotificationEvent,
  ...recipients: (string | Recipient)[]
): Promise<void> =>
  world.services.db.transaction().execute((tx) =>
    notify(
      tx,
      world.services,
      event,
      recipients.map((recipient) => (typeof recipient === 'string' ? { recipientId: recipient } : recipient)),
    ),
  )

/** Everything an account was notified of, on every channel, as `channel kind`. */
export async function receivedBy(world: World, accountId: string): Promise<string[]> {
  const { rows } = await world.services.pool.query<{ received: string }>(
    `SELECT 'in-app ' || kind AS received FROM notifications WHERE account_id = $1
     UNION ALL SELECT channel || ' ' || kind FROM notification_deliveries WHERE account_id = $1 ORDER BY received`,
    [accountId],
  )
  return rows.map((row) => row.received)
}

/** A reader with email turned off, so that only the feed matters. */
export async function feedReader(world: World): Promise<Reader> {
  const person = await world.reader()
  await person.owner.calls(updateNotificationPreferences, { body: { email_notifications: false } })
  return person
}

export const feed = async (owner: Person, query: Record<string, string> = {}) =>
  (await owner.sends(listNotifications, { query })).body

/** Notifies one recipient of a comment by `actorId` on a post. */
export async function comments(
  world: World,
  recipientId: string,
  reasons: CommentReason[],
  postId: string,
  actorId: string,
): Promise<CommentEvent> {
  const event = commentEvent(postId, actorId)
  await world.services.db
    .transaction()
    .execute((tx) => notifyCommentCandidates(tx, world.services, event, [{ recipientId, reasons }]))
  await world.runJobs()
  return event
}
