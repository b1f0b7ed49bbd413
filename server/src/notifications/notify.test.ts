import { deepEqual, equal, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  inAppSwitchOf,
  notificationKinds,
  preferenceKeys,
  switchOfKind,
} from '@pennypost/contract/notification-preferences'
import { emptiedWorld, sharedWorld, type World } from '../test/world.ts'
import {
  accountIn,
  commentEvent,
  notifyAll,
  postBy,
  receivedBy,
  storedCommentEvent,
  subscribe,
  testEvent,
} from './audience.fixture.ts'
import { eraseCommentText } from './erase-comment-text.ts'
import { commentKinds, excerpt, type NotificationEvent } from './notification-event.ts'
import { maxRecipients, notify, notifyCommentCandidates } from './notify.ts'

/** Switches everything off except these. */
const only = (world: World, accountId: string, ...on: string[]) =>
  world.services.db
    .updateTable('notification_preferences')
    .set(Object.fromEntries(preferenceKeys.map((key) => [key, on.includes(key)])))
    .where('account_id', '=', accountId)
    .execute()

const plainKinds = notificationKinds.filter(
  (kind) => !(commentKinds as readonly string[]).includes(kind),
) as NotificationEvent['kind'][]

test('each kind has an email switch and a feed switch, and each channel has a main switch', async (t) => {
  const world = await sharedWorld(t)
  for (const kind of plainKinds) {
    const recipient = await accountIn(world, { email: `${randomUUID()}@example.com` })
    const receives = async (...on: string[]) => {
      await only(world, recipient, ...on)
      await world.services.pool.query('DELETE FROM notifications')
      await world.services.pool.query('DELETE FROM notification_counts')
      await world.services.pool.query('DELETE FROM notification_deliveries')
      await notifyAll(world, testEvent({ kind }), recipient)
      return receivedBy(world, recipient)
    }
    deepEqual(await receives(), [], kind)
    deepEqual(await receives('in_app_notifications', inAppSwitchOf(kind)), [`in-app ${kind}`])
    deepEqual(await receives('email_notifications', switchOfKind[kind]), [`email ${kind}`])
    deepEqual(await receives('in_app_notifications', switchOfKind[kind]), [])
    deepEqual(await receives('email_notifications', inAppSwitchOf(kind)), [])
    deepEqual(await receives(switchOfKind[kind], inAppSwitchOf(kind)), [])
    const others = preferenceKeys.filter((key) => key !== switchOfKind[kind] && key !== inAppSwitchOf(kind))
    deepEqual(await receives(...others), [])
  }
  await world.services.pool.query('DELETE FROM jobs')
})

test('people are not notified of their own actions, and the caller can exclude a channel', async (t) => {
  const world = await sharedWorld(t)
  const [actor, other, listener] = [await accountIn(world), await accountIn(world), await accountIn(world)]
  const event = testEvent({ kind: 'tip_received', actorId: actor })
  await notifyAll(world, event, actor, other, { recipientId: listener, inApp: false })
  deepEqual(await receivedBy(world, actor), [])
  deepEqual(await receivedBy(world, other), ['in-app tip_received'])
  deepEqual(await receivedBy(world, listener), [])
})

test('a notification is part of the transaction and is rolled back with it', async (t) => {
  const world = await emptiedWorld(t)
  const { db } = world.services
  const recipientId = await accountIn(world, { email: 'a@example.com' })
  await rejects(
    db.transaction().execute(async (tx) => {
      await notify(tx, world.services, testEvent(), [{ recipientId }])
      throw new Error('the purchase failed')
    }),
  )
  deepEqual(await receivedBy(world, recipientId), [])
  const { rows } = await world.services.pool.query('SELECT FROM notification_counts UNION ALL SELECT FROM jobs')
  equal(rows.length, 0)
})

test('an expired push subscription is not used', async (t) => {
  const world = await sharedWorld(t)
  const [recipientId, author] = [await accountIn(world), await accountIn(world)]
  await world.services.db.updateTable('notification_preferences').set({ push_notifications: true }).execute()
  const postId = await postBy(world, author)
  const mentions = () =>
    world.services.db
      .transaction()
      .execute((tx) =>
        notifyCommentCandidates(tx, world.services, commentEvent(postId, author), [
          { recipientId, reasons: ['mention'] },
        ]),
      )
  await subscribe(world, recipientId)
  await world.services.pool.query('UPDATE push_subscriptions SET expires_at = $1', [world.services.clock.now()])
  await mentions()
  deepEqual(await receivedBy(world, recipientId), ['in-app comment_mention'])
  await subscribe(world, recipientId)
  await mentions()
  deepEqual(await receivedBy(world, recipientId), [
    'in-app comment_mention',
    'in-app comment_mention',
    'push comment_mention',
  ])
  const { rows } = await world.services.pool.query(`DELETE FROM jobs WHERE name = 'send-push' RETURNING id`)
  equal(rows.length, 1)
})

test('the text of a deleted comment is erased from feeds, and waiting emails about it are cancelled', async (t) => {
  const world = await emptiedWorld(t)
  const { db, pool, clock } = world.services
  const reader = await world.reader()
  const author = await accountIn(world)
  const postId = await postBy(world, author)
  const [kept, deleted] = [
    await storedCommentEvent(world, postId, author),
    await storedCommentEvent(world, postId, author),
  ]
  const candidates = [{ recipientId: reader.accountId, reasons: ['mention' as const] }]
  for (const event of [kept, deleted])
    await db.transaction().execute((tx) => notifyCommentCandidates(tx, world.services, event, candidates))
  await notifyAll(world, testEvent({ kind: 'tip_received', commentId: deleted.commentId }), reader.accountId)
  await db.transaction().execute((tx) => eraseCommentText(tx, deleted.commentId, clock.now()))
  await world.runJobs()
  const { rows } = await pool.query('SELECT kind, comment_id, body FROM notifications ORDER BY kind, body DESC')
  deepEqual(rows, [
    { kind: 'comment_mention', comment_id: kept.commentId, body: 'What do you think?' },
    { kind: 'comment_mention', comment_id: deleted.commentId, body: '' },
    { kind: 'tip_received', comment_id: deleted.commentId, body: 'Have a look.' },
  ])
  const emails = (await world.mailTo(reader.email)).filter(({ subject }) => /mentioned you/.test(subject))
  equal(emails.length, 1)
  // A message that was sent stays sent, but its text is erased.
  await db.transaction().execute((tx) => eraseCommentText(tx, kept.commentId, clock.now()))
  const { rows: kinds } = await pool.query('SELECT state, body FROM notification_deliveries WHERE comment_id = $1', [
    kept.commentId,
  ])
  deepEqual(kinds, [{ state: 'sent', body: '' }])
})

test('a call with too many recipients is rejected', async (t) => {
  const world = await sharedWorld(t)
  const { db } = world.services
  const many = Array.from({ length: maxRecipients + 1 }, () => ({ recipientId: randomUUID() }))
  await rejects(db.transaction().execute((tx) => notify(tx, world.services, testEvent(), many)))
  const candidates = many.slice(0, 1001).map(({ recipientId }) => ({ recipientId, reasons: ['watcher' as const] }))
  const event = commentEvent(randomUUID(), randomUUID())
  await rejects(db.transaction().execute((tx) => notifyCommentCandidates(tx, world.services, event, candidates)))
  // Accounts that do not exist are skipped.
  await db.transaction().execute((tx) => notifyCommentCandidates(tx, world.services, event, candidates.slice(1)))
})

test('an excerpt is one line of at most 280 characters', () => {
  equal(excerpt('  a\r\n\tb  '), 'a b')
  equal(excerpt('😀'.repeat(280)), '😀'.repeat(280))
  equal(excerpt('😀'.repeat(281)), `${'😀'.repeat(279)}…`)
})
