import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  getFollow,
  getFollowCounts,
  getFollowPreferences,
  listFollowers,
  listFollowing,
  updateFollow,
  updateFollowPreferences,
} from '@pennypost/contract/follows'
import { updateNotificationPreferences } from '@pennypost/contract/notification-preferences'
import { listNotifications } from '@pennypost/contract/notifications'
import { readersIn, receivedBy } from '../../notifications/audience.fixture.ts'
import { deleteOldDeliveries } from '../../notifications/delete-old-deliveries.job.ts'
import type { Reader } from '../../test/people.ts'
import { emptiedWorld, sharedWorld, type World } from '../../test/world.ts'

const follows = (reader: Reader, creator: { accountId: string }, following = true) =>
  reader.owner.calls(updateFollow, { params: { creatorId: creator.accountId }, body: { following } })

const countsOf = async (world: World, { accountId }: { accountId: string }) =>
  (await world.stranger().calls(getFollowCounts, { params: { profileId: accountId } })).body

test('following creates a follow with defaults, following again keeps it, unfollowing removes it', async (t) => {
  const world = await sharedWorld(t)
  const [reader, creator] = [await world.reader(), await world.reader()]
  const params = { creatorId: creator.accountId }
  deepEqual((await reader.owner.calls(getFollow, { params })).body, { following: false, follow: null })
  const { status, body } = await follows(reader, creator)
  equal(status, 200)
  deepEqual(body, {
    following: true,
    follow: {
      id: body.follow.id,
      creator_id: creator.accountId,
      follower_id: reader.accountId,
      created_at: body.follow.created_at,
      notify_new_posts: true,
      notify_channel_email: false,
      notify_channel_inapp: true,
    },
  })
  deepEqual((await follows(reader, creator)).body, body)
  deepEqual((await reader.owner.calls(getFollow, { params })).body, body)
  deepEqual(await countsOf(world, creator), { followers: 1, following: 0 })
  deepEqual(await countsOf(world, reader), { followers: 0, following: 1 })
  for (let again = 0; again < 2; again += 1)
    deepEqual((await follows(reader, creator, false)).body, { following: false, follow: null })
  deepEqual(await countsOf(world, creator), { followers: 0, following: 0 })
  deepEqual(await countsOf(world, reader), { followers: 0, following: 0 })
})

test('following yourself, an unknown account or with an invalid body is refused', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader()
  const self = await follows(reader, reader)
  deepEqual([self.status, self.body.data.code], [400, 'self_follow'])
  for (const creatorId of [randomUUID(), 'nonsense']) {
    const unknown = await follows(reader, { accountId: creatorId })
    deepEqual([unknown.status, unknown.body.data.code], [404, 'creator_not_found'])
    equal((await reader.owner.calls(getFollow, { params: { creatorId } })).status, 404)
  }
  const creator = await world.reader()
  for (const body of [{}, { following: 'yes' }, { following: null }, { following: true, loudly: true }]) {
    const reply = await reader.owner.sends(updateFollow, { params: { creatorId: creator.accountId }, body })
    equal(reply.status, 400)
  }
  deepEqual(await countsOf(world, creator), { followers: 0, following: 0 })
})

test('a creator is notified of a follower once, even if they unfollow and follow again', async (t) => {
  const world = await sharedWorld(t)
  const [reader, creator] = [await world.reader({ name: 'Ada' }), await world.reader()]
  for (const following of [true, false, true, true]) await follows(reader, creator, following)
  deepEqual(await receivedBy(world, creator.accountId), ['in-app new_follow'])
  const { notifications } = (await creator.owner.calls(listNotifications, {})).body
  deepEqual(
    [notifications[0].follower_id, notifications[0].actor.name, notifications[0].title, notifications[0].url],
    [reader.accountId, 'Ada', 'Ada follows you', `/@${reader.handle}`],
  )
  deepEqual(await receivedBy(world, reader.accountId), [])
  await creator.owner.calls(updateNotificationPreferences, {
    body: { notify_new_follow_inapp: false, notify_new_follow: true },
  })
  const other = await world.reader()
  await follows(other, creator)
  await world.runJobs()
  deepEqual(await receivedBy(world, creator.accountId), ['email new_follow', 'in-app new_follow'])
  // Also after a month, when sent messages are deleted.
  await world.services.pool.query("UPDATE notification_deliveries SET created_at = created_at - interval '31 days'")
  await deleteOldDeliveries.run(world.services, {})
  for (const following of [false, true]) await follows(other, creator, following)
  await world.runJobs()
  equal((await world.mailTo(creator.email)).filter(({ subject }) => /follows you/.test(subject)).length, 1)
})

test('follow preferences accept a partial change and are visible only to the follower', async (t) => {
  const world = await sharedWorld(t)
  const [reader, creator] = [await world.reader(), await world.reader()]
  const followId = (await follows(reader, creator)).body.follow.id
  const params = { followId }
  const change = (body: unknown, by = reader) => by.owner.sends(updateFollowPreferences, { params, body })
  const changed = { notify_new_posts: true, notify_channel_email: true, notify_channel_inapp: false }
  deepEqual((await change({ notify_channel_email: true, notify_channel_inapp: false })).body, changed)
  deepEqual((await reader.owner.calls(getFollowPreferences, { params })).body, changed)
  for (const body of [{}, { notify_new_posts: 1 }, { notify_everything: true }, { notify_new_posts: null }, []])
    equal((await change(body)).status, 400, JSON.stringify(body))
  const foreign = await change({ notify_new_posts: false }, creator)
  const unknown = await reader.owner.calls(getFollowPreferences, { params: { followId: randomUUID() } })
  deepEqual([foreign.status, foreign.body], [404, unknown.body])
  equal((await creator.owner.calls(getFollowPreferences, { params })).status, 404)
  deepEqual((await reader.owner.calls(getFollowPreferences, { params })).body, changed)

  await world.services.pool.query('UPDATE accounts SET email = NULL, email_confirmed_at = NULL WHERE id = $1', [
    reader.accountId,
  ])
  deepEqual((await change(changed)).body, changed)
  equal((await change({ notify_channel_email: true })).status, 409)
  equal((await change({ notify_channel_email: false })).status, 200)
  const refused = await change({ notify_channel_email: true, notify_new_posts: false })
  deepEqual([refused.status, refused.body.data.code], [409, 'email_not_confirmed'])
  deepEqual((await change({ notify_channel_email: false })).body, { ...changed, notify_channel_email: false })
})

test('followers and followed accounts are public, newest first, in pages', async (t) => {
  const world = await sharedWorld(t)
  const [creator, ...readers] = await readersIn(world, 13)
  for (const reader of readers) {
    await follows(reader, creator!)
    await world.advance(1)
  }
  const stranger = world.stranger()
  const page = async (query: Record<string, string>) =>
    (await stranger.sends(listFollowers, { params: { userId: creator!.accountId }, query })).body
  const first = await page({})
  deepEqual([first.total, first.page, first.per_page, first.data.length], [12, 1, 10, 10])
  const newest = readers.at(-1)!
  deepEqual(Object.keys(first.data[0]).sort(), ['authorKind', 'avatarUrl', 'handle', 'id', 'name'])
  equal(first.data[0].id, newest.accountId)
  const second = await page({ page: '2' })
  const ids = [...first.data, ...second.data].map(({ id }: { id: string }) => id)
  deepEqual(ids, readers.map(({ accountId }) => accountId).reverse())
  deepEqual((await page({ page: '9', per_page: '100' })).data, [])
  const following = await stranger.calls(listFollowing, { params: { userId: newest.accountId } })
  deepEqual([following.body.total, following.body.data[0].id], [1, creator!.accountId])
  for (const query of [{ page: '0' }, { per_page: '0' }, { per_page: '101' }, { page: 'x' }])
    equal((await stranger.sends(listFollowing, { params: { userId: creator!.accountId }, query })).status, 400)
  for (const userId of [randomUUID(), 'nonsense']) {
    equal((await stranger.calls(listFollowers, { params: { userId } })).status, 404)
    equal((await stranger.calls(listFollowing, { params: { userId } })).status, 404)
    equal((await stranger.calls(getFollowCounts, { params: { profileId: userId } })).status, 404)
  }
})

test('counts stay exact when follows and unfollows race', async (t) => {
  const world = await emptiedWorld(t)
  const people = await readersIn(world, 3)
  const pairs = people.flatMap((reader) =>
    people.filter((creator) => creator !== reader).map((creator) => [reader, creator] as const),
  )
  for (let round = 0; round < 3; round += 1) {
    const replies = await Promise.all(
      pairs.flatMap(([reader, creator]) => [true, false, true].map((following) => follows(reader, creator, following))),
    )
    ok(replies.every(({ status }) => status === 200))
    const { rows } = await world.services.pool.query(
      `SELECT a.id, follower_count, following_count,
         (SELECT count(*)::int FROM follows WHERE creator_id = a.id) AS followers,
         (SELECT count(*)::int FROM follows WHERE follower_id = a.id) AS following
       FROM accounts a JOIN account_figures f ON f.account_id = a.id`,
    )
    equal(rows.length, 3)
    for (const row of rows) deepEqual([row.follower_count, row.following_count], [row.followers, row.following])
  }
})
