import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import {
  getNotificationPreferences,
  notificationKinds,
  switchOfKind,
  updateNotificationPreferences,
} from '@pennypost/contract/notification-preferences'
import { listNotifications, updatePostMute } from '@pennypost/contract/notifications'
import { showUnsubscribe, unsubscribe, unsubscribeLinkInvalid } from '@pennypost/contract/unsubscribe'
import type { World } from '../test/world.ts'
import { accountIn, notifyAll, postBy, storedCommentEvent, testEvent } from './audience.fixture.ts'
import { notifyCommentCandidates } from './notify.ts'
import { sendNotificationEmail } from './send-notification-email.job.ts'
import { worldWithSmtp } from './smtp-world.fixture.ts'

const stateOf = async (world: World) =>
  (await world.services.pool.query('SELECT state FROM notification_deliveries')).rows.map(({ state }) => state)

test('one event is one email, with an unsubscribe link in its text and in its headers', async (t) => {
  const { world, reader, received, emails } = await worldWithSmtp(t)
  await notifyAll(
    world,
    testEvent({ title: 'A <b>sale</b>\r\nBcc: x@example.com', kind: 'new_purchase' }),
    reader.accountId,
  )
  await world.runJobs()
  equal(received.length, 1)
  deepEqual(received[0]!.recipients, [reader.email])
  const [email] = await emails()
  const header = (name: string) => email!.headers.find(({ key }) => key === name)?.value
  const [, url = ''] = /^<(.+)>$/.exec(header('list-unsubscribe')!) ?? []
  match(url, new RegExp(`^${world.origin}/unsubscribe\\?token=`))
  equal(header('list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
  equal(header('bcc'), undefined)
  ok(email!.text!.includes(url))
  ok(email!.html!.includes(`href="${url.replaceAll('&', '&amp;')}"`))
  ok(email!.html!.includes('&lt;b&gt;sale'))
  match(email!.text!, new RegExp(`${world.origin}/settings`))
  match(email!.text!, /Hi Grace,/)
  deepEqual(await stateOf(world), ['sent'])
  // Running the same job again sends nothing.
  const { rows } = await world.services.pool.query('SELECT id FROM notification_deliveries')
  await sendNotificationEmail.run(world.services, { deliveryId: rows[0].id })
  equal(received.length, 1)
})

test('an email that is refused temporarily is sent again later', async (t) => {
  const { world, reader, received } = await worldWithSmtp(t, [452, 421])
  await notifyAll(world, testEvent(), reader.accountId)
  await world.runJobs()
  deepEqual([received.length, await stateOf(world)], [0, ['waiting']])
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await world.advance(60)
    await world.runJobs()
  }
  deepEqual([received.length, await stateOf(world)], [1, ['sent']])
})

test('a permanent refusal is not retried, and a temporary one is given up after the last attempt', async (t) => {
  const { world, reader, received } = await worldWithSmtp(t, [550, ...Array(12).fill(452)])
  await notifyAll(world, testEvent(), reader.accountId)
  await world.runJobs()
  deepEqual(await stateOf(world), ['cancelled'])
  await notifyAll(world, testEvent(), reader.accountId)
  for (let attempt = 0; attempt < 13; attempt += 1) {
    await world.runJobs()
    await world.advance(7 * 3600)
  }
  deepEqual([received.length, await stateOf(world)], [0, ['cancelled', 'cancelled']])
  const { rows } = await world.services.pool.query("SELECT name FROM jobs WHERE name = 'send-notification-email'")
  deepEqual(rows, [])
})

async function mentions(world: World, recipientId: string, postId: string, actorId: string): Promise<string> {
  const event = await storedCommentEvent(world, postId, actorId)
  await world.services.db
    .transaction()
    .execute((tx) => notifyCommentCandidates(tx, world.services, event, [{ recipientId, reasons: ['mention'] }]))
  return event.commentId
}

test('no email is sent about a comment that was deleted or whose post was unpublished in the meantime', async (t) => {
  const { world, reader, received } = await worldWithSmtp(t)
  const { pool } = world.services
  const other = await accountIn(world)
  const postId = await postBy(world, other)
  const deleted = await mentions(world, reader.accountId, postId, other)
  await pool.query("UPDATE comments SET deleted_at = now(), deleted_by_role = 'author' WHERE id = $1", [deleted])
  await world.runJobs()
  await mentions(world, reader.accountId, postId, other)
  await pool.query("UPDATE posts SET status = 'withdrawn', withdrawn_at = now() WHERE id = $1", [postId])
  await world.runJobs()
  deepEqual([received.length, await stateOf(world)], [0, ['cancelled', 'cancelled']])
})

test('an email is not sent if the recipient switched it off or muted the post in the meantime', async (t) => {
  const { world, reader, received } = await worldWithSmtp(t)
  const { owner, accountId } = reader
  const other = await accountIn(world)
  const postId = await postBy(world, other)
  const mention = () => mentions(world, accountId, postId, other)
  const prefers = (body: object) => owner.sends(updateNotificationPreferences, { body })
  await mention()
  await prefers({ notify_comment_mention: false })
  await world.runJobs()
  await prefers({ notify_comment_mention: true })
  await mention()
  await prefers({ email_notifications: false })
  await world.runJobs()
  await prefers({ email_notifications: true })
  await mention()
  await owner.calls(updatePostMute, { params: { postId }, body: { muted: true } })
  await world.runJobs()
  deepEqual([received.length, await stateOf(world)], [0, ['cancelled', 'cancelled', 'cancelled']])
  await owner.calls(updatePostMute, { params: { postId }, body: { muted: false } })
  await mention()
  await world.runJobs()
  equal(received.length, 1)
})

test('an email is not sent to an address that changed in the meantime', async (t) => {
  const { world, reader, received } = await worldWithSmtp(t)
  await notifyAll(world, testEvent(), reader.accountId)
  await world.services.pool.query('UPDATE accounts SET email = $2 WHERE id = $1', [reader.accountId, 'new@example.com'])
  await world.runJobs()
  deepEqual([received.length, await stateOf(world)], [0, ['cancelled']])
})

test('opening the unsubscribe link changes nothing; its buttons turn off that kind or all email', async (t) => {
  const { world, reader, emails } = await worldWithSmtp(t)
  await notifyAll(world, testEvent({ kind: 'payout_sent' }), reader.accountId)
  await world.runJobs()
  const [email] = await emails()
  const link = new URL(/<(.+)>/.exec(email!.headers.find(({ key }) => key === 'list-unsubscribe')!.value)![1]!)
  const token = link.searchParams.get('token')!
  const preferences = async () => (await reader.owner.calls(getNotificationPreferences, {})).body
  const before = await preferences()

  const shown = await world.server.inject({ method: 'GET', url: link.pathname + link.search })
  equal(shown.statusCode, 200)
  match(shown.payload, /payouts to you/)
  const actions = [...shown.payload.matchAll(/action="(\/unsubscribe[^"]+)"/g)].map(([, action]) =>
    action!.replaceAll('&amp;', '&'),
  )
  equal(actions.length, 2)
  deepEqual(await preferences(), before)

  // One-click unsubscribe as mail programs send it (RFC 8058), in both form encodings.
  for (const [type, payload] of [
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
  ] as const) {
    await reader.owner.calls(updateNotificationPreferences, { body: { notify_payout_sent: true } })
    const stopped = await world.server.inject({
      method: 'POST',
      url: link.pathname + link.search,
      headers: { 'content-type': type },
      payload,
    })
    equal(stopped.statusCode, 200, stopped.payload)
    deepEqual(await preferences(), { ...before, notify_payout_sent: false })
  }
  equal((await world.server.inject({ method: 'POST', url: actions[1]! })).statusCode, 200)
  deepEqual(await preferences(), { ...before, notify_payout_sent: false, email_notifications: false })

  const stranger = world.stranger()
  const [id, kind, mac] = token.split('.')
  for (const wrong of [
    '',
    'x',
    `${id}.${kind}.`,
    `${id}.new_purchase.${mac}`,
    `${await accountIn(world)}.${kind}.${mac}`,
    `${id}.toString.${mac}`,
  ]) {
    equal((await stranger.calls(unsubscribe, { query: { token: wrong } })).status, 404, wrong)
    equal((await stranger.calls(showUnsubscribe, { query: { token: wrong } })).status, 404, wrong)
  }
  equal((await stranger.sends(unsubscribe, { query: { token, scope: 'world' } })).status, 400)
  equal((await world.server.inject({ method: 'POST', url: actions[0]!, payload: 'x'.repeat(20_000) })).statusCode, 413)
})

test('an unsubscribe link works only while the account has the address it was sent to', async (t) => {
  const { world, reader, emails } = await worldWithSmtp(t)
  const { pool } = world.services
  await notifyAll(world, testEvent(), reader.accountId)
  await world.runJobs()
  const [email] = await emails()
  const link = new URL(/<(.+)>/.exec(email!.headers.find(({ key }) => key === 'list-unsubscribe')!.value)![1]!)
  const token = link.searchParams.get('token')!
  const refused = async () => {
    const stranger = world.stranger()
    for (const endpoint of [showUnsubscribe, unsubscribe]) {
      const { status, body } = await stranger.calls(endpoint, { query: { token } })
      deepEqual([status, body.code], [404, unsubscribeLinkInvalid.code])
    }
  }
  await pool.query("UPDATE accounts SET email = 'new@example.com' WHERE id = $1", [reader.accountId])
  await refused()
  equal((await reader.owner.calls(getNotificationPreferences, {})).body.notify_account_issues, true)
  await pool.query('UPDATE accounts SET email = NULL, email_confirmed_at = NULL WHERE id = $1', [reader.accountId])
  await refused()
  await pool.query('UPDATE accounts SET email = $2, email_confirmed_at = now() WHERE id = $1', [
    reader.accountId,
    reader.email,
  ])
  equal((await world.stranger().calls(unsubscribe, { query: { token } })).status, 200)
})

test('each kind can be sent by email and has an unsubscribe link', async (t) => {
  const { world, reader, emails } = await worldWithSmtp(t)
  const all = Object.fromEntries(notificationKinds.map((kind) => [switchOfKind[kind], true]))
  await reader.owner.sends(updateNotificationPreferences, { body: all })
  const kinds = notificationKinds.filter((kind) => !/comment|new_post/.test(kind))
  for (const kind of kinds) await notifyAll(world, testEvent({ kind: kind as 'summary' }), reader.accountId)
  await world.runJobs()
  for (const email of await emails()) {
    const url = new URL(/<(.+)>/.exec(email.headers.find(({ key }) => key === 'list-unsubscribe')!.value)![1]!)
    equal((await world.server.inject({ method: 'POST', url: url.pathname + url.search })).statusCode, 200)
  }
  const after = (await reader.owner.calls(getNotificationPreferences, {})).body
  deepEqual(
    notificationKinds.filter((kind) => after[switchOfKind[kind]]),
    notificationKinds.filter((kind) => /comment|new_post/.test(kind)),
  )
})

test('beyond a number of emails an hour, one digest counts the rest, and the feed has everything', async (t) => {
  const { world, reader, received, emails } = await worldWithSmtp(t)
  const [loud, other] = [await accountIn(world), await accountIn(world)]
  const postId = await postBy(world, reader.accountId)
  const comment = async (actorId: string) => {
    const event = await storedCommentEvent(world, postId, actorId)
    await world.services.db
      .transaction()
      .execute((tx) =>
        notifyCommentCandidates(tx, world.services, event, [{ recipientId: reader.accountId, reasons: ['mention'] }]),
      )
  }
  for (let count = 0; count < 33; count += 1) await comment(loud)
  await world.runJobs(8)
  equal(received.length, 20)
  // Someone else still gets through, and so does a problem with the account.
  await comment(other)
  await notifyAll(world, testEvent(), reader.accountId)
  await world.runJobs()
  equal(received.length, 22)
  equal((await reader.owner.sends(listNotifications, {})).body.total, 35)

  const { rows } = await world.services.pool.query(
    `SELECT comment_id FROM notification_deliveries WHERE state = 'waiting'`,
  )
  await world.services.pool.query(`UPDATE comments SET deleted_at = now(), deleted_by_role = 'author' WHERE id = $1`, [
    rows[0].comment_id,
  ])
  await world.advance(3601)
  await world.runJobs()
  equal(received.length, 23)
  const digest = (await emails()).at(-1)!
  equal(digest.subject, '12 more mentions of you')
  match(digest.text!, new RegExp(`${world.origin}/notifications`))
  ok(!digest.text!.includes('What do you'))
  equal(new Set(await stateOf(world)).has('waiting'), false)

  // The next hour starts with an empty count.
  await comment(loud)
  await world.runJobs()
  equal(received.length, 24)
})
