import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { deleteComment } from '@pennypost/contract/comments'
import { listNotifications } from '@pennypost/contract/notifications'
import { withdrawPost } from '@pennypost/contract/publishing'
import { notifyCommentCandidates } from '../notifications/notify.ts'
import { failingDatabase } from '../test/failing-database.ts'
import type { World } from '../test/world.ts'
import { findCommentEvent, listCandidates, lockProgress } from './candidate-store.ts'
import { comments, discussionIn } from './discussion.fixture.ts'
import { eraseCommentNotifications } from './erase-comment-notifications.job.ts'
import { notifyOfComment } from './notify-of-comment.job.ts'

const candidatesOf = (world: World, commentId: string) =>
  world.services.db.transaction().execute(async (tx) => {
    const found = await listCandidates(tx, commentId, null, 200)
    return Object.fromEntries(found.map(({ recipientId, reasons }) => [recipientId, reasons.sort()]))
  })

const notifiedOf = async (world: World, commentId: string) => {
  const { rows } = await world.services.pool.query(
    'SELECT account_id, kind FROM notifications WHERE comment_id = $1 ORDER BY account_id',
    [commentId],
  )
  return rows.map(({ account_id, kind }) => [account_id, kind])
}

test('candidates are the mentioned, the person replied to, the author of the post and earlier commenters', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const [mentioned, watcher, late] = [await world.reader(), await world.reader(), await world.reader()]
  await comments(watcher, postId, 'I was here')
  const root = await comments(reader, postId, 'root')
  const bind = (person: typeof reader) => ({ profileId: person.accountId, handle: person.handle })
  const reply = await comments(watcher, postId, `@${mentioned.handle} @${author.handle} @${watcher.handle}`, {
    parentCommentId: root.id,
    mentions: [bind(mentioned), bind(author), bind(watcher)],
  })
  await comments(late, postId, 'me too')
  deepEqual(await candidatesOf(world, root.id), {
    [author.accountId]: ['author'],
    [watcher.accountId]: ['watcher'],
  })
  // People may mention themselves, but are not notified. People who commented later are not watchers of earlier
  // comments.
  deepEqual(await candidatesOf(world, reply.id), {
    [mentioned.accountId]: ['mention'],
    [reader.accountId]: ['reply', 'watcher'],
    [author.accountId]: ['author', 'mention'],
  })
  await world.runJobs()
  deepEqual(
    await notifiedOf(world, reply.id),
    [
      [author.accountId, 'comment_mention'],
      [mentioned.accountId, 'comment_mention'],
      [reader.accountId, 'comment_reply'],
    ].sort(),
  )
})

test('a reply is in the feed of the person replied to, with a link to the comment', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const root = await comments(reader, postId, 'root')
  const reply = await comments(author, postId, 'Quite so.', { parentCommentId: root.id })
  await world.runJobs()
  const { body } = await reader.owner.calls(listNotifications, {})
  deepEqual([body.total, body.unread], [1, 1])
  const [row] = body.notifications
  deepEqual(
    [row.kind, row.post_id, row.comment_id, row.actor.id, row.body, row.url],
    [
      'comment_reply',
      postId,
      reply.id,
      author.accountId,
      'Quite so.',
      `/posts/${postId}?focus=comments#comment-${reply.id}`,
    ],
  )
})

test('people who deleted all their comments are not watchers, and nobody is notified of a deleted comment', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const said = await comments(reader, postId, 'first')
  const second = await comments(reader, postId, 'second')
  const remove = (commentId: string) => reader.owner.calls(deleteComment, { params: { commentId } })
  await remove(said.id)
  const other = await world.reader()
  const third = await comments(other, postId, 'x')
  deepEqual(await candidatesOf(world, third.id), { [author.accountId]: ['author'], [reader.accountId]: ['watcher'] })
  await remove(second.id)
  deepEqual(await candidatesOf(world, third.id), { [author.accountId]: ['author'] })
  await world.runJobs()
  deepEqual([await notifiedOf(world, said.id), (await notifiedOf(world, third.id)).length], [[], 1])
  const unseen = await comments(other, postId, 'x')
  await author.publisher.calls(withdrawPost, { params: { postId } })
  await world.runJobs()
  deepEqual(await notifiedOf(world, unseen.id), [])
})

test('the text of a deleted comment is erased from notifications, even if they are being written at that moment', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const { db } = world.services
  const textsOf = async (commentId: string) => {
    const { rows } = await world.services.pool.query('SELECT body FROM notifications WHERE comment_id = $1', [
      commentId,
    ])
    return rows.map(({ body }) => body)
  }
  const early = await comments(reader, postId, 'before')
  await world.runJobs()
  deepEqual(await textsOf(early.id), ['before'])
  const late = await comments(reader, postId, 'meanwhile')
  const remove = (commentId: string) => reader.owner.calls(deleteComment, { params: { commentId } })
  // The batch reads the comment and locks its progress, the comment is deleted, then the batch notifies.
  let erasing: Promise<void> | undefined
  await db.transaction().execute(async (tx) => {
    await lockProgress(tx, late.id)
    const event = (await findCommentEvent(tx, late.id))!
    for (const { id } of [early, late]) equal((await remove(id)).status, 200)
    erasing = eraseCommentNotifications.run(world.services, { commentId: late.id })
    await notifyCommentCandidates(tx, world.services, event, [{ recipientId: author.accountId, reasons: ['author'] }])
  })
  await erasing
  deepEqual(await textsOf(late.id), [''])
  await world.runJobs()
  deepEqual(await textsOf(early.id), [''])
})

test('of many who commented before, those who did so last are notified, and always who is meant', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t, {
    isolation: 'own',
    settings: { COMMENT_WATCHERS: '2' },
  })
  const [first, second, third, fourth] = [
    await world.reader(),
    await world.reader(),
    await world.reader(),
    await world.reader(),
  ]
  const forgotten = await world.reader()
  await comments(forgotten, postId, 'the first of all')
  await world.advance(60)
  const root = await comments(first, postId, 'one')
  for (const person of [second, third, fourth]) {
    await world.advance(60)
    await comments(person, postId, 'more')
  }
  await world.advance(60)
  // A person who comments again is among the last again.
  await comments(second, postId, 'once more')
  await world.runJobs()
  await world.advance(60)
  const reply = await comments(reader, postId, `@${third.handle}`, {
    parentCommentId: root.id,
    mentions: [{ profileId: third.accountId, handle: third.handle }],
  })
  await world.runJobs()
  deepEqual(Object.fromEntries(await notifiedOf(world, reply.id)), {
    [first.accountId]: 'comment_reply',
    [second.accountId]: 'comment_thread_activity',
    [third.accountId]: 'comment_mention',
    [fourth.accountId]: 'comment_thread_activity',
    [author.accountId]: 'new_comment',
  })
  equal(
    (await notifiedOf(world, reply.id)).some(([id]) => id === forgotten.accountId),
    false,
  )
})

test('many people are notified in batches; after a crash the job continues, and nobody is notified twice', async (t) => {
  const settings = { COMMENT_WATCHERS: '5000' }
  const { author, postId, world } = await discussionIn(t, { isolation: 'own', settings })
  const { pool, db } = world.services
  const many = 2_500
  await pool.query(
    `WITH people AS (
       INSERT INTO accounts (id, name, handle, created_at)
       SELECT gen_random_uuid(), 'Watcher', 'watcher_' || n, now() FROM generate_series(1, $2) n RETURNING id
     ), switches AS (
       INSERT INTO notification_preferences (account_id, email_notifications) SELECT id, false FROM people
       ON CONFLICT DO NOTHING
     )
     INSERT INTO post_commenters SELECT $1, id, timestamptz '2020-01-01', 1 FROM people`,
    [postId, many],
  )
  const { id } = await comments(author, postId, 'hello all')
  const { rows } = await pool.query('SELECT account_id FROM post_commenters WHERE post_id = $1', [postId])
  const run = (services: typeof world.services) => notifyOfComment.run(services, { commentId: id })
  // One run notifies one batch, so that other jobs do not wait.
  await run(world.services)
  equal((await notifiedOf(world, id)).length, 1_000)
  // Simulates a crash: the second batch's transaction fails after it has notified people.
  await rejects(run({ ...world.services, db: failingDatabase(db) }), /killed/)
  equal((await notifiedOf(world, id)).length, 1_000)
  // Two concurrent runs, as when a process that was taken for dead is still running.
  await Promise.all([run(world.services), run(world.services)])
  equal((await notifiedOf(world, id)).length, many)
  const next = await comments(author, postId, 'hello again')
  await world.runJobs()
  equal((await notifiedOf(world, next.id)).length, many)
  const reached = (await notifiedOf(world, id)).map(([accountId]) => accountId)
  equal(reached.length, many)
  deepEqual(
    new Set(reached),
    new Set(rows.map(({ account_id }) => account_id).filter((accountId) => accountId !== author.accountId)),
  )
  await run(world.services)
  equal((await notifiedOf(world, id)).length, many)
})
