import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { changeAccountEmail, verifyAccountEmail } from '@pennypost/contract/account-email'
import {
  emailKeys,
  getNotificationPreferences,
  preferenceKeys,
  updateNotificationPreferences,
} from '@pennypost/contract/notification-preferences'
import type { Person } from '../test/person.ts'
import { sharedWorld, type World } from '../test/world.ts'
import { accountIn, notifyAll, receivedBy, testEvent } from './audience.fixture.ts'

const change = (owner: Person, body: unknown) => owner.sends(updateNotificationPreferences, { body })

/** Removes the email address, as if the account had signed up with a wallet. */
const withoutEmail = (world: World, accountId: string) =>
  world.services.pool.query('UPDATE accounts SET email = NULL, email_confirmed_at = NULL WHERE id = $1', [accountId])

test('a new account has the default switches', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const { status, body } = await owner.calls(getNotificationPreferences, {})
  equal(status, 200)
  deepEqual(Object.keys(body).sort(), [...preferenceKeys].sort())
  equal(preferenceKeys.length, 27)
  const off = Object.keys(body).filter((key) => !body[key])
  deepEqual(off.sort(), [
    'notify_commented_post_activity',
    'notify_new_comment',
    'notify_new_follow',
    'notify_new_post',
    'notify_summaries',
    'push_notifications',
  ])
  const bare = await accountIn(world)
  const { rows } = await world.services.pool.query(
    'SELECT email_notifications FROM notification_preferences WHERE account_id = $1',
    [bare],
  )
  deepEqual(rows, [{ email_notifications: false }])
})

test('a change may be partial, and the reply has all switches', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const before = (await owner.calls(getNotificationPreferences, {})).body
  const { status, body } = await change(owner, { push_notifications: true, notify_new_follow_inapp: false })
  equal(status, 200)
  deepEqual(body, { ...before, push_notifications: true, notify_new_follow_inapp: false })
  deepEqual((await owner.calls(getNotificationPreferences, {})).body, body)
  const other = await world.reader()
  equal((await other.owner.calls(getNotificationPreferences, {})).body.push_notifications, false)
})

test('unknown keys, non-booleans, an empty patch and no patch are 400, and change nothing', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const before = (await owner.calls(getNotificationPreferences, {})).body
  for (const body of [
    {},
    { notify_everything: true },
    { push_notifications: 'true' },
    { push_notifications: 1 },
    { push_notifications: null },
    { push_notifications: true, account_id: 'x' },
    [],
    'text',
    undefined,
  ]) {
    const reply = await change(owner, body)
    equal(reply.status, 400, JSON.stringify(body))
    equal(reply.body.statusCode, 400)
    ok(reply.body.data.code)
  }
  const unknown = await change(owner, { push_notifications: true, notify_everything: true })
  deepEqual(unknown.body.errors, unknown.body.data.errors)
  deepEqual(unknown.body.errors, [{ field: 'notify_everything', code: 'unknown', message: 'is not a field here' }])
  deepEqual((await owner.calls(getNotificationPreferences, {})).body, before)
})

test('without a confirmed address email switches can be turned off but not on', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await world.reader()
  await withoutEmail(world, accountId)
  for (const key of emailKeys) {
    equal((await change(owner, { [key]: false })).status, 200, key)
    const refused = await change(owner, { [key]: true, push_notifications: true })
    equal(refused.status, 409, key)
    equal(refused.body.data.code, 'email_not_confirmed')
  }
  equal((await owner.calls(getNotificationPreferences, {})).body.push_notifications, false)
  equal((await change(owner, { in_app_notifications: true, notify_new_follow_inapp: true })).status, 200)
})

test('without a confirmed address a switch that is on by default cannot be turned on either', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await world.reader()
  await withoutEmail(world, accountId)
  const before = (await owner.calls(getNotificationPreferences, {})).body
  equal(before.notify_comment_reply, true)
  for (const body of [{ notify_comment_reply: true }, { notify_comment_reply: true, push_notifications: true }]) {
    const refused = await change(owner, body)
    deepEqual([refused.status, refused.body.data.code], [409, 'email_not_confirmed'])
  }
  deepEqual((await owner.calls(getNotificationPreferences, {})).body, before)
})

test('without a confirmed address a form may send all switches back unchanged', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await world.reader()
  await withoutEmail(world, accountId)
  const before = (await owner.calls(getNotificationPreferences, {})).body
  const { status, body } = await change(owner, { ...before, push_notifications: true })
  deepEqual([status, body], [200, { ...before, push_notifications: true }])
  equal((await change(owner, { ...before, notify_new_post: true })).status, 409)
})

test('changing the address turns email off and cancels waiting emails; the feed stays', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId, email } = await world.reader()
  await notifyAll(world, testEvent(), accountId)
  deepEqual(await receivedBy(world, accountId), ['email account_issue', 'in-app account_issue'])
  await world.services.pool.query("UPDATE jobs SET run_at = run_at + interval '1 hour'")

  await owner.calls(changeAccountEmail, { body: { email: 'new@example.com' } })
  await world.runJobs()
  const { code } = (await world.mailTo('new@example.com'))[0]!
  equal((await owner.calls(verifyAccountEmail, { body: { code: code! } })).status, 200)
  equal((await owner.calls(getNotificationPreferences, {})).body.email_notifications, false)
  const { rows } = await world.services.pool.query('SELECT state FROM notification_deliveries')
  deepEqual(rows, [{ state: 'cancelled' }])
  // Email is switched on again immediately, but messages for the old address are still not sent.
  equal((await change(owner, { email_notifications: true })).status, 200)
  await world.advance(3601)
  await world.runJobs()
  for (const address of [email, 'new@example.com'])
    ok(!(await world.mailTo(address)).some(({ subject }) => subject === 'Something needs you'), address)
  deepEqual(await receivedBy(world, accountId), ['email account_issue', 'in-app account_issue'])
})
