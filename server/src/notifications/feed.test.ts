import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  legacyKinds,
  notificationKinds,
  updateNotificationPreferences,
} from '@pennypost/contract/notification-preferences'
import { getPostMute, listNotifications, updatePostMute } from '@pennypost/contract/notifications'
import { sharedWorld } from '../test/world.ts'
import { accountIn, comments, feed, feedReader, notifyAll, postBy, receivedBy, testEvent } from './audience.fixture.ts'

test('a notification has its event, actor and link; the newest comes first', async (t) => {
  const world = await sharedWorld(t)
  const ada = await world.reader({ name: 'Ada' })
  const { owner, accountId } = await feedReader(world)
  const postId = await postBy(world, accountId)
  const { commentId } = await comments(world, accountId, ['author'], postId, ada.accountId)
  await world.advance(10)
  const purchaseId = randomUUID()
  await notifyAll(world, testEvent({ kind: 'new_purchase', purchaseId, postId, url: '/sales' }), accountId)
  const { notifications, total, unread, pagination, includeAll } = await feed(owner)
  deepEqual([total, unread, includeAll], [2, 2, false])
  deepEqual(pagination, { limit: 20, offset: 0, total: 2, hasMore: false })
  const [purchase, comment] = notifications
  deepEqual(
    [purchase.kind, purchase.purchase_id, purchase.post_id, purchase.actor],
    ['new_purchase', purchaseId, postId, null],
  )
  deepEqual(comment, {
    id: comment.id,
    kind: 'new_comment',
    created_at: comment.created_at,
    read_at: null,
    post_id: postId,
    purchase_id: null,
    comment_id: commentId,
    follower_id: null,
    actor: { id: ada.accountId, handle: ada.handle, name: 'Ada', avatarUrl: null, authorKind: 'human' },
    title: 'Ada commented on “On engines”',
    body: 'What do you think?',
    url: `/posts/${postId}?focus=comments#comment-${commentId}`,
  })
  ok(purchase.created_at > comment.created_at)
  const stranger = await feedReader(world)
  deepEqual((await feed(stranger.owner)).notifications, [])
})

test('limit is clamped to 1 to 50, offset pages, and an invalid query is 400', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await feedReader(world)
  for (let index = 0; index < 60; index += 1) await notifyAll(world, testEvent({ title: `Event ${index}` }), accountId)
  for (const [limit, length] of [
    ['9'.repeat(100), 50],
    [`-${'9'.repeat(100)}`, 1],
    ['0', 1],
    ['-7', 1],
    ['1', 1],
    ['50', 50],
    ['51', 50],
    ['9999999', 50],
  ] as const) {
    const { notifications, pagination } = await feed(owner, { limit })
    equal(notifications.length, length, limit)
    equal(pagination.limit, length)
  }
  equal((await feed(owner)).notifications.length, 20)
  const pages = []
  for (const offset of ['0', '25', '50']) pages.push(await feed(owner, { limit: '25', offset }))
  deepEqual(
    pages.map(({ pagination }) => pagination.hasMore),
    [true, true, false],
  )
  const rows = pages.flatMap(({ notifications }) => notifications)
  equal(new Set(rows.map(({ id }) => id)).size, 60)
  const inOrder = [...rows].sort((a, b) => (`${b.created_at} ${b.id}` < `${a.created_at} ${a.id}` ? -1 : 1))
  deepEqual(rows, inOrder)
  const beyond = await feed(owner, { offset: '2147483647' })
  deepEqual([beyond.notifications, beyond.total], [[], 60])
  for (const query of [
    { limit: 'x' },
    { limit: '1.5' },
    { offset: '-1' },
    { includeAll: 'maybe' },
    { preferenceSchema: '3' },
  ])
    equal((await owner.sends(listNotifications, { query })).status, 400, JSON.stringify(query))
})

test('the first preference schema has ten kinds and shows a mention as a new comment; the second has all eleven', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await feedReader(world)
  const author = await accountIn(world)
  await comments(world, accountId, ['mention'], await postBy(world, author), author)
  const first = await feed(owner)
  deepEqual(Object.keys(first.preferences).sort(), [...legacyKinds].sort())
  equal(legacyKinds.length, 10)
  equal(first.notifications[0].kind, 'new_comment')
  match(first.notifications[0].title, /mentioned you/)
  const second = await feed(owner, { preferenceSchema: '2' })
  deepEqual(Object.keys(second.preferences).sort(), [...notificationKinds].sort())
  equal(second.notifications[0].kind, 'comment_mention')
})

test('a kind that is switched off is left out of rows and counts, unless includeAll is set', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await feedReader(world)
  await notifyAll(world, testEvent(), accountId)
  await notifyAll(world, testEvent({ kind: 'payout_sent' }), accountId)
  await owner.calls(updateNotificationPreferences, { body: { notify_payout_sent_inapp: false } })
  const few = await feed(owner)
  deepEqual(
    [few.total, few.unread, few.notifications.map((row: { kind: string }) => row.kind)],
    [1, 1, ['account_issue']],
  )
  equal(few.preferences.payout_sent, false)
  equal(few.preferences.account_issue, true)
  const all = await feed(owner, { includeAll: 'true' })
  deepEqual([all.total, all.unread, all.includeAll, all.notifications.length], [2, 2, true, 2])
  // While a kind is off, no rows of it are written either.
  await notifyAll(world, testEvent({ kind: 'payout_sent' }), accountId)
  equal((await feed(owner, { includeAll: '1' })).total, 2)
  await owner.calls(updateNotificationPreferences, { body: { in_app_notifications: false } })
  equal((await feed(owner)).total, 0)
  equal((await feed(owner, { includeAll: 'true' })).total, 2)
})

test('twenty simultaneous notifications of one event become one row and one email', async (t) => {
  const world = await sharedWorld(t)
  const { accountId, email, owner } = await world.reader()
  const event = testEvent()
  await Promise.all(Array.from({ length: 20 }, () => notifyAll(world, event, accountId)))
  deepEqual(await receivedBy(world, accountId), ['email account_issue', 'in-app account_issue'])
  await world.runJobs()
  equal((await world.mailTo(email)).filter(({ subject }) => subject === event.title).length, 1)
  deepEqual([(await feed(owner)).total, (await feed(owner)).unread], [1, 1])
})

test('muting a post mutes its discussion but not its sales', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await feedReader(world)
  const other = await accountIn(world)
  const postId = await postBy(world, accountId)
  const params = { postId }
  deepEqual((await owner.calls(getPostMute, { params })).body, { muted: false })
  for (const muted of [true, true])
    deepEqual((await owner.calls(updatePostMute, { params, body: { muted } })).body, { muted })
  deepEqual((await owner.calls(getPostMute, { params })).body, { muted: true })
  const neighbour = await world.reader()
  deepEqual((await neighbour.owner.calls(getPostMute, { params })).body, { muted: false }, 'for this account only')
  await comments(world, accountId, ['mention', 'author'], postId, other)
  await notifyAll(world, testEvent({ kind: 'new_purchase', postId }), accountId)
  deepEqual(await receivedBy(world, accountId), ['in-app new_purchase'])
  for (const muted of [false, false])
    deepEqual((await owner.calls(updatePostMute, { params, body: { muted } })).body, { muted })
  await comments(world, accountId, ['author'], postId, other)
  deepEqual(await receivedBy(world, accountId), ['in-app new_comment', 'in-app new_purchase'])

  const draft = { postId: await postBy(world, other, 'draft') }
  for (const unknown of [draft, { postId: randomUUID() }, { postId: 'x' }]) {
    equal((await owner.calls(getPostMute, { params: unknown })).status, 404)
    equal((await owner.calls(updatePostMute, { params: unknown, body: { muted: true } })).status, 404)
  }
  // An unpublished post can be muted only by its author, its commenters and people who already muted it.
  const [muter, stranger] = [await feedReader(world), await feedReader(world)]
  await muter.owner.calls(updatePostMute, { params, body: { muted: true } })
  const { pool } = world.services
  const commented = await feedReader(world)
  await pool.query('INSERT INTO post_commenters VALUES ($1, $2, now(), 0)', [postId, commented.accountId])
  await pool.query("UPDATE posts SET status = 'withdrawn', withdrawn_at = now() WHERE id = $1", [postId])
  for (const [person, status] of [
    [stranger.owner, 404],
    [muter.owner, 200],
    [commented.owner, 200],
    [owner, 200],
  ] as const) {
    equal((await person.calls(getPostMute, { params })).status, status)
    equal((await person.calls(updatePostMute, { params, body: { muted: true } })).status, status)
  }
  for (const body of [{}, { muted: 'yes' }, { muted: true, for: 'ever' }])
    equal((await owner.sends(updatePostMute, { params, body })).status, 400)
})
