import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { updateFollow, updateFollowPreferences } from '@pennypost/contract/follows'
import { updateNotificationPreferences } from '@pennypost/contract/notification-preferences'
import { publishPost, withdrawPost } from '@pennypost/contract/publishing'
import { readersIn, receivedBy } from '../../notifications/audience.fixture.ts'
import { maxRecipients } from '../../notifications/notify.ts'
import { payable, publish } from '../../posts/posts.fixture.ts'
import { failingDatabase } from '../../test/failing-database.ts'
import type { Creator, Reader } from '../../test/people.ts'
import { emptiedWorld, sharedWorld, type World } from '../../test/world.ts'
import { notifyFollowers } from './notify-followers.job.ts'

const author = async (world: World): Promise<Creator> => payable(await world.creator({ name: 'Ada' }))

const publishes = async (creator: Creator): Promise<string> => (await publish(creator)).id

const follow = async (reader: Reader, creator: Creator): Promise<string> =>
  (await reader.owner.calls(updateFollow, { params: { creatorId: creator.accountId }, body: { following: true } })).body
    .follow.id

test('followers are notified of a post when it is first published, on the channels they chose', async (t) => {
  const world = await sharedWorld(t)
  const creator = await author(world)
  const [plain, mailed, silent, offline, gone, muted] = await readersIn(world, 6)
  const ids = new Map<Reader, string>()
  for (const reader of [plain, mailed, silent, offline, gone, muted]) ids.set(reader!, await follow(reader!, creator))
  const prefers = (reader: Reader, body: object) =>
    reader.owner.sends(updateFollowPreferences, { params: { followId: ids.get(reader) }, body })
  await prefers(mailed!, { notify_channel_email: true, notify_channel_inapp: false })
  await mailed!.owner.calls(updateNotificationPreferences, { body: { notify_new_post: true } })
  await prefers(silent!, { notify_new_posts: false, notify_channel_email: true })
  await silent!.owner.calls(updateNotificationPreferences, { body: { notify_new_post: true } })
  // Email is on for the follow but off for the account.
  await prefers(offline!, { notify_channel_email: true, notify_channel_inapp: false })
  await gone!.owner.calls(updateFollow, { params: { creatorId: creator.accountId }, body: { following: false } })
  await muted!.owner.calls(updateNotificationPreferences, { body: { notify_new_post_inapp: false } })

  const postId = await publishes(creator)
  await world.runJobs()
  deepEqual(await receivedBy(world, plain!.accountId), ['in-app new_post'])
  deepEqual(await receivedBy(world, mailed!.accountId), ['email new_post'])
  for (const reader of [silent, offline, gone, muted]) deepEqual(await receivedBy(world, reader!.accountId), [])
  const [email] = await world.mailTo(mailed!.email)
  equal(email!.subject, 'Ada published “On engines”')
  match(email!.text, new RegExp(`${world.origin}/posts/${postId}\\s`))

  // Unpublishing and publishing it again notifies nobody.
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  await creator.publisher.calls(publishPost, { params: { postId } })
  await world.runJobs()
  deepEqual(await receivedBy(world, plain!.accountId), ['in-app new_post'])
  equal((await world.mailTo(mailed!.email)).filter(({ subject }) => /published/.test(subject)).length, 1)
})

test('nobody is notified of a post that is unpublished before the job runs', async (t) => {
  const world = await sharedWorld(t)
  const creator = await author(world)
  const reader = await world.reader()
  await follow(reader, creator)
  const postId = await publishes(creator)
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  await world.runJobs()
  deepEqual(await receivedBy(world, reader.accountId), [])
})

test('a waiting email is not sent after the reader unfollowed or the post was unpublished', async (t) => {
  const world = await sharedWorld(t)
  const creator = await author(world)
  const [faithful, leaving] = (await readersIn(world, 2)) as [Reader, Reader]
  for (const reader of [faithful, leaving]) {
    const params = { followId: await follow(reader, creator) }
    await reader.owner.calls(updateFollowPreferences, { params, body: { notify_channel_email: true } })
    await reader.owner.calls(updateNotificationPreferences, { body: { notify_new_post: true } })
  }
  const mailed = async (reader: Reader) => {
    await world.runJobs()
    const emails = (await world.mailTo(reader.email)).filter(({ subject }) => /published/.test(subject))
    const { rows } = await world.services.pool.query(
      'SELECT state FROM notification_deliveries WHERE account_id = $1 ORDER BY created_at',
      [reader.accountId],
    )
    return [emails.length, ...rows.map(({ state }) => state)]
  }
  const params = { creatorId: creator.accountId }
  await notifyFollowers.run(world.services, { postId: await publishes(creator), after: null })
  await leaving.owner.calls(updateFollow, { params, body: { following: false } })
  deepEqual(
    [await mailed(faithful), await mailed(leaving)],
    [
      [1, 'sent'],
      [0, 'cancelled'],
    ],
  )
  await world.advance(1)
  const postId = await publishes(creator)
  await notifyFollowers.run(world.services, { postId, after: null })
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  deepEqual(await mailed(faithful), [1, 'sent', 'cancelled'])
})

test('every follower is notified once, in batches, even if a batch crashes or runs twice', async (t) => {
  const world = await emptiedWorld(t)
  const { db, pool, clock } = world.services
  const creator = await author(world)
  const crowd = maxRecipients + 501
  await pool.query(
    `WITH people AS (
       INSERT INTO accounts (id, name, handle, created_at)
       SELECT gen_random_uuid(), 'Reader', 'crowd_' || g, $2 FROM generate_series(1, $3::int) g RETURNING id
     ), switches AS (
       INSERT INTO notification_preferences (account_id, email_notifications) SELECT id, false FROM people
     )
     INSERT INTO follows (id, creator_id, follower_id, created_at) SELECT gen_random_uuid(), $1, id, $2 FROM people`,
    [creator.accountId, clock.now(), crowd],
  )
  const postId = await publishes(creator)
  const notifiedOf = async () =>
    (
      await pool.query(
        `SELECT count(*)::int AS rows, count(DISTINCT account_id)::int AS people FROM notifications WHERE post_id = $1`,
        [postId],
      )
    ).rows
  // Simulates a crash: the first batch's transaction fails after it has notified people and enqueued the next batch.
  await rejects(notifyFollowers.run({ ...world.services, db: failingDatabase(db) }, { postId, after: null }), /killed/)
  deepEqual(await notifiedOf(), [{ rows: 0, people: 0 }])
  // The first batch as if its process had died right after the commit: it runs a second time.
  const { rows } = await pool.query(`SELECT payload FROM jobs WHERE name = 'notify-followers'`)
  await pool.query(`INSERT INTO jobs (name, payload, run_at, max_attempts) VALUES ('notify-followers', $1, $2, 5)`, [
    rows[0].payload,
    clock.now(),
  ])
  await world.runJobs()
  deepEqual(await notifiedOf(), [{ rows: crowd, people: crowd }])
  const { rows: counts } = await pool.query('SELECT sum(unread)::int AS unread FROM notification_counts')
  deepEqual(counts, [{ unread: crowd }])
})
