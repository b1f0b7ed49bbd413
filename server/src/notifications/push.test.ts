import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { updateNotificationPreferences } from '@pennypost/contract/notification-preferences'
import { addPushSubscription, getPushKey, removePushSubscription } from '@pennypost/contract/push'
import { createPushSender } from '../platform/push/push.ts'
import { browser, pushService } from '../platform/push/push-service.fixture.ts'
import { vapidKeys } from '../platform/push/vapid-keys.ts'
import { secretsFrom } from '../platform/secrets.ts'
import type { Reader } from '../test/people.ts'
import { createWorld, sharedWorld, type World } from '../test/world.ts'
import { accountIn, postBy, storedCommentEvent } from './audience.fixture.ts'
import type { CommentReason } from './notification-event.ts'
import { notifyCommentCandidates } from './notify.ts'

async function pushingWorld(t: TestContext) {
  const device = browser()
  const service = await pushService(t, device)
  const push = createPushSender({
    keys: vapidKeys(secretsFrom('a secret for tests')),
    contact: 'mailto:post@pennypost.example',
    allowLoopback: true,
    certificate: service.certificate,
  })
  const world = await createWorld(t, { services: { push } })
  const reader = await world.reader()
  await reader.owner.calls(updateNotificationPreferences, {
    body: { push_notifications: true, email_notifications: false },
  })
  return { world, reader, device, service }
}

const subscriptionJson = (device: ReturnType<typeof browser>, endpoint: string) => {
  const { p256dh, auth } = device.subscriptionAt(endpoint)
  return { endpoint, expirationTime: null, keys: { p256dh, auth } }
}

async function notifyOfComment(world: World, reader: Reader, reasons: CommentReason[]) {
  const author = await accountIn(world)
  const event = await storedCommentEvent(world, await postBy(world, author), author)
  await world.services.db
    .transaction()
    .execute((tx) => notifyCommentCandidates(tx, world.services, event, [{ recipientId: reader.accountId, reasons }]))
  return event
}

test('mentions and replies are pushed to every device of the recipient; other reasons are not', async (t) => {
  const { world, reader, device, service } = await pushingWorld(t)
  const { publicKey } = (await world.stranger().calls(getPushKey, {})).body
  for (const path of ['/one', '/two']) {
    const body = subscriptionJson(device, service.origin + path)
    equal((await reader.owner.calls(addPushSubscription, { body })).status, 201)
  }
  const event = await notifyOfComment(world, reader, ['watcher', 'mention'])
  await world.runJobs()
  deepEqual(service.received.map(({ path }) => path).sort(), ['/one', '/two'])
  const [first] = service.received
  equal(first!.senderKey, publicKey)
  const message = JSON.parse(first!.message)
  deepEqual(message, {
    id: message.id,
    kind: 'comment_mention',
    title: 'Ada mentioned you in a comment on “On engines”',
    body: 'What do you think?',
    url: `/posts/${event.postId}?focus=comments#comment-${event.commentId}`,
    postId: event.postId,
    commentId: event.commentId,
  })
  await notifyOfComment(world, reader, ['author', 'watcher'])
  await world.runJobs()
  equal(service.received.length, 2)
  await notifyOfComment(world, reader, ['reply'])
  await world.runJobs()
  equal(service.received.length, 4)
})

test('pushes have low priority and are sent one at a time per account, so that a slow push service delays nobody else', async (t) => {
  const { world, reader, device, service } = await pushingWorld(t)
  for (const path of ['/one', '/two'])
    await reader.owner.calls(addPushSubscription, { body: subscriptionJson(device, service.origin + path) })
  await notifyOfComment(world, reader, ['mention'])
  const { rows } = await world.services.pool.query("SELECT low_priority, queue FROM jobs WHERE name = 'send-push'")
  const waiting = { low_priority: true, queue: `push ${reader.accountId}` }
  deepEqual(rows, [waiting, waiting])
  await world.runJobs()
  equal(service.received.length, 2)
})

test('switches are checked again before sending, and only what the feed shows is pushed', async (t) => {
  const { world, reader, device, service } = await pushingWorld(t)
  await reader.owner.calls(addPushSubscription, { body: subscriptionJson(device, `${service.origin}/one`) })
  const prefers = (body: object) => reader.owner.sends(updateNotificationPreferences, { body })
  await notifyOfComment(world, reader, ['mention'])
  await prefers({ push_notifications: false })
  await world.runJobs()
  await notifyOfComment(world, reader, ['mention'])
  await prefers({ push_notifications: true, notify_comment_mention_inapp: false })
  await world.runJobs()
  await notifyOfComment(world, reader, ['mention'])
  await world.runJobs()
  deepEqual(service.attempts, [])
  await notifyOfComment(world, reader, ['mention', 'reply'])
  await world.runJobs()
  equal(JSON.parse(service.received[0]!.message).kind, 'comment_reply')
})

test('a comment that is deleted after the first push is not pushed to the next device', async (t) => {
  const { world, reader, device, service } = await pushingWorld(t)
  for (const path of ['/one', '/two'])
    await reader.owner.calls(addPushSubscription, { body: subscriptionJson(device, service.origin + path) })
  service.nextStatuses.push(201, 503)
  const { commentId } = await notifyOfComment(world, reader, ['mention'])
  await world.runJobs()
  deepEqual([service.attempts.length, service.received.length], [2, 1])
  const { pool } = world.services
  await pool.query("UPDATE comments SET deleted_at = now(), deleted_by_role = 'author' WHERE id = $1", [commentId])
  await world.advance(60)
  await world.runJobs()
  equal(service.attempts.length, 2)
})

test('the subscription of a device that is gone is deleted; a busy push service is tried again', async (t) => {
  const { world, reader, device, service } = await pushingWorld(t)
  const count = async () =>
    (await world.services.pool.query('SELECT count(*)::int AS count FROM push_subscriptions')).rows[0].count
  for (const path of ['/one', '/two'])
    await reader.owner.calls(addPushSubscription, { body: subscriptionJson(device, service.origin + path) })
  service.nextStatuses.push(410)
  await notifyOfComment(world, reader, ['mention'])
  await world.runJobs()
  deepEqual([service.received.length, await count()], [1, 1])
  service.nextStatuses.push(503, 429)
  await notifyOfComment(world, reader, ['mention'])
  await world.runJobs()
  equal(service.received.length, 1)
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await world.advance(60)
    await world.runJobs()
  }
  equal(service.received.length, 2)
  equal(await count(), 1)
  service.nextStatuses.push(404)
  await notifyOfComment(world, reader, ['mention'])
  await world.runJobs()
  equal(await count(), 0)
})

test('a permanent refusal is not retried and other devices still get the push; if all refuse, it is cancelled', async (t) => {
  const { world, reader, device, service } = await pushingWorld(t)
  const states = async () =>
    (await world.services.pool.query('SELECT state FROM notification_deliveries ORDER BY created_at')).rows.map(
      ({ state }) => state,
    )
  for (const path of ['/one', '/two'])
    await reader.owner.calls(addPushSubscription, { body: subscriptionJson(device, service.origin + path) })
  service.nextStatuses.push(413)
  await notifyOfComment(world, reader, ['mention'])
  await world.runJobs()
  deepEqual([service.received.length, await states()], [1, ['sent']])
  await world.advance(1)
  service.nextStatuses.push(400, 403)
  await notifyOfComment(world, reader, ['mention'])
  await world.runJobs()
  deepEqual([service.attempts.length, await states()], [4, ['sent', 'cancelled']])
  await world.advance(1)
  service.nextStatuses.push(...Array(9).fill(503))
  await notifyOfComment(world, reader, ['mention'])
  for (let attempt = 0; attempt < 9; attempt += 1) {
    await world.runJobs()
    await world.advance(600)
  }
  // The subscription of the device that returned 403 is deleted.
  deepEqual([service.attempts.length, await states()], [13, ['sent', 'cancelled', 'cancelled']])
  const { rows } = await world.services.pool.query("SELECT name FROM jobs WHERE name = 'send-push'")
  deepEqual(rows, [])
})

test('a subscription keeps its id, moves with the browser to another account, and is removed by its owner only', async (t) => {
  const { world, reader, device, service } = await pushingWorld(t)
  const body = subscriptionJson(device, `${service.origin}/one`)
  const { id } = (await reader.owner.calls(addPushSubscription, { body })).body
  equal((await reader.owner.calls(addPushSubscription, { body })).body.id, id)
  const other = await world.reader()
  const endpoint = { body: { endpoint: body.endpoint } }
  const foreign = await other.owner.calls(removePushSubscription, endpoint)
  deepEqual([foreign.status, foreign.body.data.code], [404, 'subscription_not_found'])
  // Another account signs in with the same browser and takes over its subscription.
  equal((await other.owner.calls(addPushSubscription, { body })).status, 201)
  await notifyOfComment(world, reader, ['mention'])
  await world.runJobs()
  deepEqual(service.attempts, [])
  equal((await reader.owner.calls(removePushSubscription, endpoint)).status, 404)
  equal((await other.owner.calls(removePushSubscription, endpoint)).status, 200)
  equal((await other.owner.calls(removePushSubscription, endpoint)).status, 404)
})

test('endpoints must be https and public, and keys valid; anything else is 400', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader()
  const good = subscriptionJson(browser(), 'https://8.8.8.8/device')
  const add = (body: unknown) => reader.owner.sends(addPushSubscription, { body })
  for (const endpoint of [
    'http://8.8.8.8/device',
    'https://user:pass@8.8.8.8/',
    'ftp://8.8.8.8/',
    'https://',
    'text',
    `https://8.8.8.8/${'x'.repeat(2048)}`,
    'https://127.0.0.1/device',
    'https://localhost/device',
    'https://10.0.0.1/device',
    'https://169.254.169.254/latest/meta-data',
    'https://[64:ff9b::a00:1]/',
    'https://[::ffff:192.168.0.1]/',
  ]) {
    const { status, body } = await add({ ...good, endpoint })
    equal(status, 400, endpoint)
    ok(['invalid_request', 'push_endpoint_refused'].includes(body.data.code))
  }
  const { keys } = good
  for (const body of [
    { ...good, keys: { ...keys, p256dh: randomBytes(65).toString('base64url') } },
    { ...good, keys: { ...keys, p256dh: randomBytes(33).toString('base64url') } },
    { ...good, keys: { ...keys, auth: 'short' } },
    { ...good, keys: { p256dh: keys.p256dh } },
    { ...good, expirationTime: 'soon' },
    { ...good, id: randomUUID() },
    {},
  ])
    equal((await add(body)).status, 400, JSON.stringify(body))
  equal((await add({ endpoint: good.endpoint, keys })).status, 201)
  equal((await reader.owner.sends(removePushSubscription, { body: {} })).status, 400)
})

test('an account has at most twenty devices: a further one replaces the oldest', async (t) => {
  const { world, reader, device, service } = await pushingWorld(t)
  for (let index = 0; index < 22; index += 1) {
    await reader.owner.calls(addPushSubscription, { body: subscriptionJson(device, `${service.origin}/${index}`) })
    await world.advance(1)
  }
  const { rows } = await world.services.pool.query('SELECT endpoint FROM push_subscriptions ORDER BY created_at')
  deepEqual([rows.length, rows[0].endpoint], [20, `${service.origin}/2`])
})
