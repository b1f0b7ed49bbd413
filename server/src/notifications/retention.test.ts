import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { markAllRead } from '@pennypost/contract/notifications'
import type { Reader } from '../test/people.ts'
import { createWorld, type World } from '../test/world.ts'
import { deleteOldNotifications } from './delete-old-notifications.job.ts'
import { deleteNotificationsBefore } from './notification-retention.ts'
import { notify } from './notify.ts'

const daySeconds = 86_400

async function hears(world: World, reader: Reader, kind: 'new_purchase' | 'new_follow'): Promise<void> {
  const { db } = world.services
  const event = { kind, origin: randomUUID(), actorId: null, title: 'x', body: 'y', url: '/' }
  await db.transaction().execute((tx) => notify(tx, world.services, event, [{ recipientId: reader.accountId }]))
}

/** The counts that the feed shows, and what there is. */
async function countsOf(world: World, reader: Reader) {
  const { rows } = await world.services.pool.query(
    `SELECT c.kind, c.total, c.unread, (SELECT count(*)::int FROM notifications n WHERE n.account_id = c.account_id
       AND n.kind = c.kind) AS there
     FROM notification_counts c WHERE account_id = $1 ORDER BY kind`,
    [reader.accountId],
  )
  return rows
}

const runs = (world: World, settings: object = {}) => {
  const { services } = world
  return deleteOldNotifications.run({ ...services, config: { ...services.config, ...settings } }, {})
}

test('old notifications are deleted and counted off, read or not, and new ones stay', async (t) => {
  const world = await createWorld(t, { settings: { KEEP_NOTIFICATIONS_DAYS: '30' } })
  const [one, other] = [await world.reader(), await world.reader()]
  await hears(world, one, 'new_purchase')
  await hears(world, one, 'new_purchase')
  await one.owner.calls(markAllRead, { body: {} })
  await hears(world, one, 'new_purchase')
  await hears(world, one, 'new_follow')
  await world.advance(20 * daySeconds)
  await hears(world, one, 'new_purchase')
  await hears(world, other, 'new_purchase')
  await world.advance(20 * daySeconds)
  await runs(world)
  deepEqual(await countsOf(world, one), [
    { kind: 'new_follow', total: 1, unread: 1, there: 1 },
    { kind: 'new_purchase', total: 1, unread: 1, there: 1 },
  ])
  deepEqual(await countsOf(world, other), [{ kind: 'new_purchase', total: 1, unread: 1, there: 1 }])
  await world.runJobs()
})

test('without the setting nothing is deleted', async (t) => {
  const world = await createWorld(t)
  const reader = await world.reader()
  await hears(world, reader, 'new_purchase')
  await world.advance(4_000 * daySeconds)
  await runs(world)
  deepEqual(await countsOf(world, reader), [{ kind: 'new_purchase', total: 1, unread: 1, there: 1 }])
  await world.runJobs()
})

test('counts stay exact while notifications come, are read and are deleted at the same time', async (t) => {
  const world = await createWorld(t)
  const reader = await world.reader()
  const { db, clock } = world.services
  for (let made = 0; made < 40; made += 1) await hears(world, reader, 'new_purchase')
  await world.advance(100 * daySeconds)
  const before = clock.now()
  const deletes = Array.from({ length: 8 }, () => deleteNotificationsBefore(db, reader.accountId, before, 7))
  const news = Array.from({ length: 8 }, () => hears(world, reader, 'new_purchase'))
  const reads = Array.from({ length: 3 }, () => reader.owner.calls(markAllRead, { body: {} }))
  const [gone] = await Promise.all([Promise.all(deletes), Promise.all(news), Promise.all(reads)])
  equal(
    gone.reduce((sum, count) => sum + count, 0),
    40,
  )
  const [count] = await countsOf(world, reader)
  deepEqual([count.total, count.there], [8, 8])
  const { rows } = await world.services.pool.query(
    `SELECT count(*)::int AS unread FROM notifications n JOIN notification_counts c USING (account_id, kind)
     WHERE n.account_id = $1 AND n.read_at IS NULL AND n.created_at > c.read_through`,
    [reader.accountId],
  )
  equal(count.unread, rows[0].unread)
  await world.runJobs()
})
