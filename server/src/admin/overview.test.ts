import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { getAdminOverview } from '@pennypost/contract/admin-overview'
import { getReadiness } from '@pennypost/contract/platform-operations'
import { createPost } from '@pennypost/contract/posts'
import { clearPayoutAddress } from '@pennypost/contract/profiles'
import { withdrawPost } from '@pennypost/contract/publishing'
import { reportPost } from '@pennypost/contract/reports'
import { administrator, discussionIn } from '../discussion/discussion.fixture.ts'
import { openMarket, price, quotes } from '../payments/market.fixture.ts'
import { recordBackupFailure } from '../platform/backup/last-backup.ts'
import type { Reader } from '../test/people.ts'

const overviewFor = async (admin: Reader) => (await admin.owner.calls(getAdminOverview, {})).body

test('the overview has what waits and since when, and how many accounts and posts there are', async (t) => {
  const { world, author, reader, postId } = await discussionIn(t, { isolation: 'emptied' })
  const admin = await administrator(world)
  await world.runJobs()
  const none = { count: 0, oldestAt: null }
  const before = await overviewFor(admin)
  deepEqual(before.jobs, { waiting: none, dead: none })
  deepEqual([before.openReports, before.openHolds], [none, none])
  const noMoney = { ...none, amountAtomic: '0' }
  deepEqual(before.money, {
    nanoWaiting: noMoney,
    nanoCommission: noMoney,
    nanoBlocked: noMoney,
    nanoSettling: noMoney,
    nanoParts: noMoney,
    nanoUnconfirmed: none,
    usdcSettling: noMoney,
  })
  deepEqual(before.queues, [])
  deepEqual(before.deliveries, { email: none, push: none, webhook: none })
  deepEqual([before.lastBackupAt, before.backupFailedAt, before.lastAudit], [null, null, null])
  deepEqual(before.accounts, { total: 3, newThisWeek: 3, suspended: 0 })
  deepEqual(before.posts, { published: 1, newThisWeek: 1, drafts: 0 })

  await reader.owner.calls(reportPost, { params: { postId }, idempotencyKey: 'key', body: { reason: 'spam' } })
  await author.publisher.calls(createPost, { body: { title: 'A draft' } })
  const diedAt = '2026-01-02T03:04:05.000Z'
  const { pool } = world.services
  await pool.query(
    `INSERT INTO jobs (name, payload, run_at, attempts, max_attempts, dead_at) VALUES ('a', '{}', $1, 5, 5, $1), ('b', '{}', $1, 5, 5, now())`,
    [diedAt],
  )
  await pool.query(
    `INSERT INTO jobs (name, payload, run_at, attempts, max_attempts, claimed_by) VALUES
       ('c', '{}', $1, 0, 5, NULL), ('c', '{}', $1, 1, 5, 7), ('d', '{}', now() + interval '1 day', 0, 5, NULL)`,
    [diedAt],
  )
  await pool.query('INSERT INTO last_backup (taken_at, row_count, file_count) VALUES ($1, 1, 1)', [diedAt])
  await recordBackupFailure(pool, new Date(diedAt), 'the folder is gone')
  await pool.query('INSERT INTO audit_runs (started_at, service_time, finished_at, findings) VALUES ($1, $1, $1, 3)', [
    diedAt,
  ])
  await pool.query('INSERT INTO gas_days (day, sold_wei, wasted_wei) VALUES ($1, 5, 7)', [
    world.services.clock.now().toISOString().slice(0, 10),
  ])
  await pool.query('UPDATE accounts SET suspended_at = now(), created_at = $1 WHERE id = $2', [
    diedAt,
    reader.accountId,
  ])
  const after = await overviewFor(admin)
  deepEqual(after.jobs.dead, { count: 2, oldestAt: diedAt })
  const queueOf = (name: string) => after.queues.find(({ job }: { job: string }) => job === name)
  deepEqual(queueOf('a'), { job: 'a', waiting: none, running: 0, dead: { count: 1, oldestAt: diedAt } })
  deepEqual(queueOf('c'), { job: 'c', waiting: { count: 1, oldestAt: diedAt }, running: 1, dead: none })
  deepEqual(after.jobs.waiting, { count: 1, oldestAt: diedAt })
  deepEqual([after.lastBackupAt, after.lastAudit], [diedAt, { at: diedAt, findings: 3 }])
  equal(after.backupFailedAt, diedAt)
  equal(after.gas.spentTodayWei, '12')
  equal(after.openReports.count, 1)
  deepEqual(after.accounts, { total: 3, newThisWeek: 2, suspended: 1 })
  deepEqual(after.posts, { published: 1, newThisWeek: 1, drafts: 1 })
  await pool.query(`DELETE FROM jobs WHERE name IN ('a', 'b', 'c', 'd')`)
  await pool.query('DELETE FROM gas_days')
})

test('the overview has the money that could not be sent', async (t) => {
  const market = await openMarket(t)
  const { world, creator, buyer, postId } = market
  const admin = await administrator(world)
  const { address } = await quotes(buyer, postId)
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  await creator.owner.calls(clearPayoutAddress, {})
  await market.pays(address, price)
  await market.checkAddresses()
  const { money } = await overviewFor(admin)
  deepEqual([money.nanoBlocked.count, money.nanoBlocked.amountAtomic], [1, String((price * 95n) / 100n)])
  equal(typeof money.nanoBlocked.oldestAt, 'string')
})

test('the overview says what the readiness report says', async (t) => {
  const { world } = await discussionIn(t)
  const { rails, problems } = await overviewFor(await administrator(world))
  const { missing, degraded } = (await world.stranger().calls(getReadiness, {})).body
  const names = problems.map(({ name }: { name: string }) => name)
  deepEqual(names, [...missing, ...degraded])
  equal(rails.nano, names.includes('nano') ? 'degraded' : 'working')
})

test('the overview is for administrators', async (t) => {
  const { reader } = await discussionIn(t)
  const { status, body } = await reader.owner.calls(getAdminOverview, {})
  deepEqual([status, body.code], [403, 'admin-required'])
})
