import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  legacyKinds,
  notificationKinds,
  updateNotificationPreferences,
} from '@pennypost/contract/notification-preferences'
import {
  getPostMute,
  listNotifications,
  markAllRead,
  markContextRead,
  markNotificationsRead,
  updatePostMute,
} from '@pennypost/contract/notifications'
import { createWorld, type Person, type World } from '../test/world.ts'
import { accountIn, commentNews, postBy, someNews, tells, toldTo } from './audience.fixture.ts'
import type { CommentReason } from './news.ts'
import { tellOfComment } from './tell.ts'

const feed = async (owner: Person, query: Record<string, string> = {}) =>
  (await owner.sends(listNotifications, { query })).body

const comments = async (
  world: World,
  recipientId: string,
  reasons: CommentReason[],
  postId: string,
  actorId: string,
) => {
  const news = commentNews(postId, actorId)
  await world.services.db
    .transaction()
    .execute((tx) => tellOfComment(tx, world.services, news, [{ recipientId, reasons }]))
  await world.settle()
  return news
}

/** Somebody with an account whose mail is off, so that only the feed matters. */
async function reader(world: World) {
  const person = await world.reader()
  await person.owner.calls(updateNotificationPreferences, { body: { email_notifications: false } })
  return person
}

test('a notification says what happened, who did it and where; new ones come first', async (t) => {
  const world = await createWorld(t)
  const ada = await world.reader({ name: 'Ada' })
  const { owner, accountId } = await reader(world)
  const postId = await postBy(world, accountId)
  const { commentId } = await comments(world, accountId, ['author'], postId, ada.accountId)
  await world.advance(10)
  const purchaseId = randomUUID()
  await tells(world, someNews({ kind: 'new_purchase', purchaseId, postId, url: '/sales' }), accountId)
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
  const stranger = await reader(world)
  deepEqual((await feed(stranger.owner)).notifications, [])
})

test('limit moves into 1 to 50, offset pages, and nonsense is 400', async (t) => {
  const world = await createWorld(t)
  const { owner, accountId } = await reader(world)
  for (let index = 0; index < 60; index += 1) await tells(world, someNews({ title: `News ${index}` }), accountId)
  for (const [limit, length] of [
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

test('the first schema knows ten kinds and reads a mention as a new Comment; the second has them all', async (t) => {
  const world = await createWorld(t)
  const { owner, accountId } = await reader(world)
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

test('a kind that is switched off now is left out of rows and counts, unless all are asked for', async (t) => {
  const world = await createWorld(t)
  const { owner, accountId } = await reader(world)
  await tells(world, someNews(), accountId)
  await tells(world, someNews({ kind: 'payout_sent' }), accountId)
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
  // Off means that no more of them are written, too.
  await tells(world, someNews({ kind: 'payout_sent' }), accountId)
  equal((await feed(owner, { includeAll: '1' })).total, 2)
  await owner.calls(updateNotificationPreferences, { body: { in_app_notifications: false } })
  equal((await feed(owner)).total, 0)
  equal((await feed(owner, { includeAll: 'true' })).total, 2)
})

test('marking by id: once, only own rows, and only ids', async (t) => {
  const world = await createWorld(t)
  const [one, other] = [await reader(world), await reader(world)]
  for (let index = 0; index < 3; index += 1) await tells(world, someNews(), one.accountId, other.accountId)
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

test('marking by context: every filter that is named must hold, in either spelling', async (t) => {
  const world = await createWorld(t)
  const { owner, accountId } = await reader(world)
  const author = await accountIn(world)
  const postId = await postBy(world, author)
  const [purchaseId, followerId] = [randomUUID(), randomUUID()]
  const mention = await comments(world, accountId, ['mention'], postId, author)
  const reply = await comments(world, accountId, ['reply'], postId, author)
  await tells(world, someNews({ kind: 'new_purchase', purchaseId, postId }), accountId)
  await tells(world, someNews({ kind: 'new_follow', followerId }), accountId)
  await tells(world, someNews(), accountId)
  const mark = async (context: unknown) => (await owner.sends(markContextRead, { body: { context } })).body.updated
  equal(await mark({ postId: randomUUID() }), 0)
  equal(await mark({ postId, commentId: randomUUID() }), 0)
  equal(await mark({ postId, types: ['new_follow'] }), 0)
  equal(await mark({ comment_id: reply.commentId, post_id: postId }), 1)
  equal(await mark({ follower_id: followerId, followerId, postId: null, types: [] }), 1)
  equal(await mark({ purchase_id: purchaseId }), 1)
  // A client of the first schema sees the mention as a new Comment.
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

test('marking everything: own rows only, also more than one request writes', async (t) => {
  const world = await createWorld(t)
  const { services } = world
  const [one, other] = [await reader(world), await reader(world)]
  await tells(world, someNews({ kind: 'summary' }), one.accountId, other.accountId)
  for (let index = 0; index < 3; index += 1) await tells(world, someNews(), one.accountId, other.accountId)
  equal((await one.owner.calls(markAllRead, {})).body.updated, 4)
  equal((await one.owner.calls(markAllRead, {})).body.updated, 0)
  deepEqual([(await feed(one.owner)).unread, (await feed(other.owner)).unread], [0, 4])
  await tells(world, someNews(), one.accountId)
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
  // Read from this moment on, though the rows themselves are written later.
  deepEqual((await one.owner.calls(markNotificationsRead, { body: { ids: [rows[0].id] } })).body, { updated: 0 })
  const kinds = (await feed(one.owner, { limit: '50', offset: '5' })).notifications
  ok(kinds.every((row: { kind: string; read_at: string | null }) => row.kind !== 'summary' || row.read_at !== null))
  await world.settle()
  const { rows: left } = await services.pool.query(
    `SELECT count(*)::int AS unread FROM notifications WHERE account_id = $1 AND read_at IS NULL`,
    [one.accountId],
  )
  deepEqual(left, [{ unread: 1 }])
  equal((await feed(one.owner)).unread, 1)
})

test('counts stay exact while many tell and many mark at once', async (t) => {
  const world = await createWorld(t)
  const { owner, accountId } = await reader(world)
  for (let index = 0; index < 20; index += 1) await tells(world, someNews(), accountId)
  const ids = (await feed(owner, { limit: '50' })).notifications.map((row: { id: string }) => row.id)
  const replies = await Promise.all([
    ...Array.from({ length: 6 }, () => owner.calls(markNotificationsRead, { body: { ids } })),
    ...Array.from({ length: 3 }, () => owner.calls(markAllRead, {})),
    ...Array.from({ length: 3 }, () =>
      owner.calls(markContextRead, { body: { context: { types: ['account_issue'] } } }),
    ),
    ...Array.from({ length: 10 }, () => tells(world, someNews(), accountId).then(() => undefined)),
  ])
  const updated = replies.reduce((sum, reply) => sum + (reply?.body.updated ?? 0), 0)
  const { total, unread, notifications } = await feed(owner, { limit: '50' })
  equal(total, 30)
  equal(notifications.length, 30)
  equal(unread, notifications.filter((row: { read_at: string | null }) => row.read_at === null).length)
  equal(updated, 30 - unread)
  equal((await owner.calls(markAllRead, {})).body.updated, unread)
})

test('the same news told twenty times at once is one row, one mail', async (t) => {
  const world = await createWorld(t)
  const { accountId, email, owner } = await world.reader()
  const news = someNews()
  await Promise.all(Array.from({ length: 20 }, () => tells(world, news, accountId)))
  deepEqual(await toldTo(world, accountId), ['email account_issue', 'in-app account_issue'])
  await world.settle()
  equal((await world.mailTo(email)).filter(({ subject }) => subject === news.title).length, 1)
  deepEqual([(await feed(owner)).total, (await feed(owner)).unread], [1, 1])
})

test('a muted Post is silent in its discussion, not in its sales', async (t) => {
  const world = await createWorld(t)
  const { owner, accountId } = await reader(world)
  const other = await accountIn(world)
  const postId = await postBy(world, accountId)
  const params = { postId }
  deepEqual((await owner.calls(getPostMute, { params })).body, { muted: false })
  for (const muted of [true, true])
    deepEqual((await owner.calls(updatePostMute, { params, body: { muted } })).body, { muted })
  deepEqual((await owner.calls(getPostMute, { params })).body, { muted: true })
  await comments(world, accountId, ['mention', 'author'], postId, other)
  await tells(world, someNews({ kind: 'new_purchase', postId }), accountId)
  deepEqual(await toldTo(world, accountId), ['in-app new_purchase'])
  for (const muted of [false, false])
    deepEqual((await owner.calls(updatePostMute, { params, body: { muted } })).body, { muted })
  await comments(world, accountId, ['author'], postId, other)
  deepEqual(await toldTo(world, accountId), ['in-app new_comment', 'in-app new_purchase'])

  const draft = { postId: await postBy(world, other, 'draft') }
  for (const unknown of [draft, { postId: randomUUID() }, { postId: 'x' }]) {
    equal((await owner.calls(getPostMute, { params: unknown })).status, 404)
    equal((await owner.calls(updatePostMute, { params: unknown, body: { muted: true } })).status, 404)
  }
  for (const body of [{}, { muted: 'yes' }, { muted: true, for: 'ever' }])
    equal((await owner.sends(updatePostMute, { params, body })).status, 400)
})
