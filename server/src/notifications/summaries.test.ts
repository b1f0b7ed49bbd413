import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { updateNotificationPreferences } from '@pennypost/contract/notification-preferences'
import { emptiedWorld, sharedWorld, type World } from '../test/world.ts'
import { accountIn, notifyAll, postBy, receivedBy, testEvent } from './audience.fixture.ts'
import { deleteOldDeliveries } from './delete-old-deliveries.job.ts'
import { writeSummaries } from './write-summaries.job.ts'

const day = 86_400

const figures = (world: World, accountId: string, sales: number, earnedRaw: string, followers: number) =>
  world.services.pool.query(
    `INSERT INTO account_figures (account_id, sales_count, earned_raw, follower_count) VALUES ($1, $2, $3, $4)
     ON CONFLICT (account_id) DO UPDATE SET sales_count = $2, earned_raw = $3, follower_count = $4`,
    [accountId, sales, earnedRaw, followers],
  )

const run = (world: World) => writeSummaries.run(world.services, {})

const bodiesOf = async (world: World, accountId: string): Promise<string[]> => {
  const { rows } = await world.services.pool.query(
    `SELECT title, body FROM notifications WHERE account_id = $1 AND kind = 'summary' ORDER BY created_at`,
    [accountId],
  )
  return rows.map(({ title, body }) => `${title}: ${body}`)
}

test('the feed gets a summary each day, but none for a day without gains', async (t) => {
  const world = await sharedWorld(t)
  const { accountId } = await world.reader()
  const postId = await postBy(world, accountId)
  await figures(world, accountId, 2, `15${'0'.repeat(29)}`, 1)
  await world.services.pool.query('INSERT INTO post_figures (post_id, comment_count) VALUES ($1, 3)', [postId])
  await run(world)
  deepEqual(await receivedBy(world, accountId), [])
  await world.advance(day)
  await run(world)
  await run(world)
  const first = 'Your day on Pennypost: 2 sales, 1.5 XNO earned, 1 new follower, 3 new comments.'
  deepEqual(await bodiesOf(world, accountId), [first])

  // Nothing gained and one follower lost: no summary, but the next period starts.
  await figures(world, accountId, 2, `15${'0'.repeat(29)}`, 0)
  await world.advance(day)
  await run(world)
  await figures(world, accountId, 3, `15${'0'.repeat(29)}`, 0)
  await run(world)
  deepEqual(await bodiesOf(world, accountId), [first])
  await world.advance(day)
  await run(world)
  deepEqual(await bodiesOf(world, accountId), [first, 'Your day on Pennypost: 1 sale.'])
})

test('what was earned is told for each asset, and never added up', async (t) => {
  const world = await sharedWorld(t)
  const { pool } = world.services
  const [both, usdc] = [await accountIn(world), await accountIn(world)]
  const earn = (accountId: string, raw: string, atomic: string) =>
    pool.query(
      `INSERT INTO account_figures (account_id, sales_count, earned_raw, earned_atomic) VALUES ($1, 1, $2, $3)
       ON CONFLICT (account_id) DO UPDATE SET earned_raw = $2, earned_atomic = $3`,
      [accountId, raw, atomic],
    )
  await earn(both, `15${'0'.repeat(29)}`, '250000')
  await earn(usdc, '0', '1000000')
  await world.advance(day)
  await run(world)
  deepEqual(await bodiesOf(world, both), ['Your day on Pennypost: 1 sale, 1.5 XNO and 0.25 USDC earned.'])
  deepEqual(await bodiesOf(world, usdc), ['Your day on Pennypost: 1 sale, 1 USDC earned.'])
  // Only what came since then counts.
  await earn(both, `15${'0'.repeat(29)}`, '350000')
  await world.advance(day)
  await run(world)
  equal((await bodiesOf(world, both)).at(-1), 'Your day on Pennypost: 0.1 USDC earned.')
})

test('an email summary is sent each week, independent of the daily summaries in the feed', async (t) => {
  const world = await sharedWorld(t)
  const { accountId, owner, email } = await world.reader()
  await owner.calls(updateNotificationPreferences, { body: { notify_summaries: true } })
  const weeklyEmails = async () => {
    await world.runJobs()
    return (await world.mailTo(email)).filter(({ subject }) => subject === 'Your week on Pennypost')
  }
  for (let passed = 1; passed <= 7; passed += 1) {
    equal((await weeklyEmails()).length, 0)
    await figures(world, accountId, passed, '0', 0)
    await world.advance(day)
    await run(world)
  }
  equal((await bodiesOf(world, accountId)).length, 7)
  const emails = await weeklyEmails()
  equal(emails.length, 1)
  match(emails[0]!.text, /7 sales\./)
  await world.advance(7 * day)
  await run(world)
  equal((await weeklyEmails()).length, 1)
})

test('the first run for an older account only stores its figures; own comments do not count', async (t) => {
  const world = await sharedWorld(t)
  const { pool, clock } = world.services
  const accountId = await accountIn(world)
  await world.advance(15 * day)
  const postId = await postBy(world, accountId)
  await figures(world, accountId, 40, '0', 7)
  await pool.query('INSERT INTO post_figures (post_id, comment_count) VALUES ($1, 9)', [postId])
  await run(world)
  deepEqual(await receivedBy(world, accountId), [])
  await pool.query('UPDATE post_figures SET comment_count = 12 WHERE post_id = $1', [postId])
  await pool.query('INSERT INTO post_commenters VALUES ($1, $2, $3, 2)', [postId, accountId, clock.now()])
  await world.advance(7 * day)
  await run(world)
  const { rows } = await pool.query('SELECT body FROM notifications WHERE account_id = $1', [accountId])
  deepEqual(rows, [{ body: '1 new comment.' }])
})

test('a summary is sent on the chosen channels, once, by an hourly job', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader()
  await figures(world, reader.accountId, 1, '0', 0)
  await reader.owner.calls(updateNotificationPreferences, {
    body: { notify_summaries: true, notify_summaries_inapp: false },
  })
  await world.advance(7 * day)
  await Promise.all([run(world), run(world), run(world)])
  await world.runJobs()
  deepEqual(await receivedBy(world, reader.accountId), ['email summary'])
  const emails = (await world.mailTo(reader.email)).filter(({ subject }) => subject === 'Your week on Pennypost')
  equal(emails.length, 1)
  match(emails[0]!.text, /1 sale\./)
  equal(writeSummaries.every, 'hour')
})

test('all creators get a summary, in batches; readers without figures get none', async (t) => {
  const world = await emptiedWorld(t)
  const bystander = await accountIn(world)
  await world.services.pool.query(
    `WITH people AS (INSERT INTO accounts (id, name, handle, created_at)
       SELECT gen_random_uuid(), 'Creator', 'creator_' || g, $1 FROM generate_series(1, 1101) g RETURNING id),
     switches AS (INSERT INTO notification_preferences (account_id, email_notifications) SELECT id, false FROM people)
     INSERT INTO account_figures (account_id, follower_count) SELECT id, 1 FROM people`,
    [world.services.clock.now()],
  )
  await world.advance(8 * day)
  await run(world)
  const { rows } = await world.services.pool.query('SELECT count(*)::int AS written FROM notifications')
  deepEqual(rows, [{ written: 1101 }])
  deepEqual(await receivedBy(world, bystander), [])
})

test('messages that are too old are deleted in one run, however many they are', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader()
  const { pool, clock } = world.services
  await pool.query(
    `INSERT INTO notification_deliveries
       (id, account_id, origin, channel, kind, title, body, url, state, created_at, finished_at)
     SELECT gen_random_uuid(), $1, 'many:' || n, 'push', 'account_issue', '', '', '/', 'sent', $2, $2
     FROM generate_series(1, 25000) n`,
    [reader.accountId, clock.now()],
  )
  await world.advance(31 * day)
  await deleteOldDeliveries.run(world.services, {})
  const { rows } = await pool.query(
    `SELECT count(*)::int AS left FROM notification_deliveries WHERE origin LIKE 'many:%'`,
  )
  deepEqual(rows, [{ left: 0 }])
})

test('sent messages are deleted after a month; the feed and waiting messages are not', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader()
  await notifyAll(world, testEvent(), reader.accountId)
  await world.runJobs()
  await world.advance(31 * day)
  await deleteOldDeliveries.run(world.services, {})
  deepEqual(await receivedBy(world, reader.accountId), ['in-app account_issue'])
  await notifyAll(world, testEvent(), reader.accountId)
  await world.advance(31 * day)
  await deleteOldDeliveries.run(world.services, {})
  deepEqual(await receivedBy(world, reader.accountId), [
    'email account_issue',
    'in-app account_issue',
    'in-app account_issue',
  ])
  await world.runJobs()
  equal((await world.mailTo(reader.email)).filter(({ subject }) => subject === 'Something needs you').length, 2)
})
