import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { markAllRead, markContextRead, markNotificationsRead } from '@pennypost/contract/notifications'
import type { Person } from '../test/person.ts'
import { sharedWorld } from '../test/world.ts'
import { accountIn, comments, feed, feedReader, notifyAll, postBy, testEvent } from './audience.fixture.ts'

test('marking by id updates each own row once and accepts only ids', async (t) => {
  const world = await sharedWorld(t)
  const [one, other] = [await feedReader(world), await feedReader(world)]
  for (let index = 0; index < 3; index += 1) await notifyAll(world, testEvent(), one.accountId, other.accountId)
  const ids = (await feed(one.owner)).notifications.map((row: { id: string }) => row.id)
  const mark = (person: Person, body: unknown) => person.sends(markNotificationsRead, { body })
  deepEqual((await mark(other.owner, { ids })).body, { updated: 0 })
  deepEqual((await mark(one.owner, { ids: [ids[0], ids[0].toUpperCase(), randomUUID()] })).body, { updated: 1 })
  deepEqual((await mark(one.owner, { ids })).body, { updated: 2 })
  deepEqual((await mark(one.owner, { ids })).body, { updated: 0 })
  equal((await feed(one.owner)).unread, 0)
  equal((await feed(one.owner)).total, 3)
  ok((await feed(one.owner)).notifications.every((row: { read_at: string | null }) => row.read_at !== null))
  equal((await feed(other.owner)).unread, 3)
  for (const body of [
    {},
    { ids: [] },
    { ids: ['x'] },
    { ids: ids[0] },
    { ids, more: 1 },
    { ids: Array(1001).fill(ids[0]) },
  ])
    equal((await mark(one.owner, body)).status, 400)
})

test('marking by context applies every given filter, in either spelling', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await feedReader(world)
  const author = await accountIn(world)
  const postId = await postBy(world, author)
  const [purchaseId, followerId] = [randomUUID(), randomUUID()]
  const mention = await comments(world, accountId, ['mention'], postId, author)
  const reply = await comments(world, accountId, ['reply'], postId, author)
  await notifyAll(world, testEvent({ kind: 'new_purchase', purchaseId, postId }), accountId)
  await notifyAll(world, testEvent({ kind: 'new_follow', followerId }), accountId)
  await notifyAll(world, testEvent(), accountId)
  const mark = async (context: unknown) => (await owner.sends(markContextRead, { body: { context } })).body.updated
  equal(await mark({ postId: randomUUID() }), 0)
  equal(await mark({ postId, commentId: randomUUID() }), 0)
  equal(await mark({ postId, types: ['new_follow'] }), 0)
  equal(await mark({ comment_id: reply.commentId, post_id: postId }), 1)
  equal(await mark({ follower_id: followerId, followerId, postId: null, types: [] }), 1)
  equal(await mark({ purchase_id: purchaseId }), 1)
  // Clients that use the first preference schema see the mention as `new_comment`.
  equal(await mark({ postId, types: ['new_comment'] }), 1)
  equal(await mark({ commentId: mention.commentId }), 0)
  equal(await mark({ types: ['account_issue', 'not_known_yet'] }), 1)
  const { unread, total } = await feed(owner)
  deepEqual([unread, total], [0, 5])
  for (const body of [
    {},
    { context: {} },
    { context: { types: [] } },
    { context: { postId: null } },
    { context: { postId: 'x' } },
    { context: { postId, post_id: randomUUID() } },
    { context: { authorId: postId } },
    { context: { types: ['Not A Kind'] } },
    { context: { types: 'summary' } },
    { context: { postId }, more: true },
  ])
    equal((await owner.sends(markContextRead, { body })).status, 400, JSON.stringify(body))
})

test('marking everything updates own rows only, however many there are', async (t) => {
  const world = await sharedWorld(t)
  const { services } = world
  const [one, other] = [await feedReader(world), await feedReader(world)]
  await notifyAll(world, testEvent({ kind: 'summary' }), one.accountId, other.accountId)
  for (let index = 0; index < 3; index += 1) await notifyAll(world, testEvent(), one.accountId, other.accountId)
  equal((await one.owner.calls(markAllRead, {})).body.updated, 4)
  equal((await one.owner.calls(markAllRead, {})).body.updated, 0)
  deepEqual([(await feed(one.owner)).unread, (await feed(other.owner)).unread], [0, 4])
  await notifyAll(world, testEvent(), one.accountId)
  const { unread, notifications } = await feed(one.owner)
  deepEqual([unread, notifications.filter((row: { read_at: string | null }) => row.read_at === null).length], [1, 1])

  await services.pool.query(
    `WITH added AS (INSERT INTO notifications (account_id, kind, origin, title, body, url, created_at)
       SELECT $1, 'summary', 'many:' || g, 't', 'b', '/', $2::timestamptz - g * interval '1 s' FROM generate_series(1, 3000) g RETURNING 1)
     UPDATE notification_counts SET total = total + 3000, unread = unread + 3000 WHERE account_id = $1 AND kind = 'summary'`,
    [one.accountId, services.clock.now()],
  )
  const { rows } = await services.pool.query('SELECT id FROM notifications WHERE origin = $1', ['many:7'])
  equal((await one.owner.calls(markContextRead, { body: { context: { types: ['summary'] } } })).body.updated, 3000)
  // They count as read immediately, although the rows are updated later.
  deepEqual((await one.owner.calls(markNotificationsRead, { body: { ids: [rows[0].id] } })).body, { updated: 0 })
  const kinds = (await feed(one.owner, { limit: '50', offset: '5' })).notifications
  ok(kinds.every((row: { kind: string; read_at: string | null }) => row.kind !== 'summary' || row.read_at !== null))
  await world.runJobs()
  const { rows: left } = await services.pool.query(
    `SELECT count(*)::int AS unread FROM notifications WHERE account_id = $1 AND read_at IS NULL`,
    [one.accountId],
  )
  deepEqual(left, [{ unread: 1 }])
  equal((await feed(one.owner)).unread, 1)
})

test('counts stay exact while notifications are written and marked at the same time', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await feedReader(world)
  for (let index = 0; index < 20; index += 1) await notifyAll(world, testEvent(), accountId)
  const ids = (await feed(owner, { limit: '50' })).notifications.map((row: { id: string }) => row.id)
  const replies = await Promise.all([
    ...Array.from({ length: 6 }, () => owner.calls(markNotificationsRead, { body: { ids } })),
    ...Array.from({ length: 3 }, () => owner.calls(markAllRead, {})),
    ...Array.from({ length: 3 }, () =>
      owner.calls(markContextRead, { body: { context: { types: ['account_issue'] } } }),
    ),
    ...Array.from({ length: 10 }, () => notifyAll(world, testEvent(), accountId).then(() => undefined)),
  ])
  const updated = replies.reduce((sum, reply) => sum + (reply?.body.updated ?? 0), 0)
  const { total, unread, notifications } = await feed(owner, { limit: '50' })
  equal(total, 30)
  equal(notifications.length, 30)
  equal(unread, notifications.filter((row: { read_at: string | null }) => row.read_at === null).length)
  equal(updated, 30 - unread)
  equal((await owner.calls(markAllRead, {})).body.updated, unread)
})
