import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { type EarningsReport, getEarningsReport, listEarnings } from '@pennypost/contract/finance'
import { comments } from '../../discussion/discussion.fixture.ts'
import type { Reader } from '../../test/people.ts'
import type { World } from '../../test/world.ts'
import { auditBooks } from '../audit/audit-books.ts'
import { price, quotes, savesAddress, sells, xno } from '../market.fixture.ts'
import { soldForUsdc } from '../usdc-sale.fixture.ts'
import { arrives, creatorsIn, tipsWith } from './finance.fixture.ts'

const nothing = { count: 0, gross_raw: '0', commission_raw: '0', net_raw: '0' }
const sum = (count: number, gross: bigint, commission = 0n) => ({
  count,
  gross_raw: String(gross),
  commission_raw: String(commission),
  net_raw: String(gross - commission),
})

const reportOf = async (person: Reader, days = 30): Promise<EarningsReport> =>
  (await person.owner.calls(getEarningsReport, { query: { days: String(days) } })).body

const dayIn = (world: World, ago = 0): string =>
  new Date(world.services.clock.now().getTime() - ago * 86_400_000).toISOString().slice(0, 10)

/** Moves what came before this many days into the past: an order of a test lives an hour, and days are longer. */
async function daysPass(world: World, days: number): Promise<void> {
  await world.services.pool.query(`UPDATE orders SET received_at = received_at - $1 * interval '1 day'`, [days])
  // Their days move with them.
  await world.services.pool.query(`UPDATE earning_days SET day = day - $1::int`, [days])
}

test('what came in, by day, by Post and by asset: each payment once, no matter who paid it', async (t) => {
  const { world, ada, bob, adasPost, bobsPost } = await creatorsIn(t)
  const today = dayIn(world)
  deepEqual(await reportOf(ada), {
    from: dayIn(world, 29),
    to: today,
    summary: { XNO: nothing, USDC: nothing },
    days: [],
    posts: [],
    post_count: 0,
    rates: { XNO: '1.25', USDC: '1' },
  })
  await arrives(world, (await quotes(bob, adasPost.postId)).address, price)
  await daysPass(world, 3)
  const second = await sells(ada, { title: 'On wheels' })
  for (let n = 0; n < 2; n += 1) await tipsWith(world, bob, { postId: second }, xno)
  await soldForUsdc(world, second, ada.accountId, 250_000n)
  const report = await reportOf(ada)
  const [sale, tips, usdc] = [sum(1, price, price / 20n), sum(2, 2n * xno), sum(1, 250_000n)]
  deepEqual(report.days, [
    { day: dayIn(world, 3), XNO: sale, USDC: nothing },
    { day: today, XNO: tips, USDC: usdc },
  ])
  deepEqual(report.posts, [
    { post_id: second, post_title: 'On wheels', XNO: tips, USDC: usdc },
    { post_id: adasPost.postId, post_title: 'On engines', XNO: sale, USDC: nothing },
  ])
  equal(report.post_count, 2)
  deepEqual(report.summary, (await ada.owner.calls(listEarnings, {})).body.summary)
  deepEqual((await reportOf(ada, 3)).days, report.days.slice(1))
  deepEqual((await reportOf(ada, 4)).days, report.days)
  // What a reader paid is not what they earned, and nobody sees another's report.
  equal((await reportOf(bob)).post_count, 0)
  await tipsWith(world, ada, bobsPost, xno)
  deepEqual((await reportOf(bob)).summary.XNO, sum(1, xno))
  deepEqual((await reportOf(ada)).summary, report.summary)
  deepEqual(await auditBooks(world.services.db, world.services.clock.now()), [])
})

test('a tip to a Comment counts for the Post it is under', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  await savesAddress(bob, 'nano_1111111111111111111111111111111111111111111111111111hifc8npp')
  const { id: commentId } = await comments(bob, adasPost.postId, 'well said')
  await tipsWith(world, ada, { commentId }, xno)
  const { posts } = await reportOf(bob)
  deepEqual(posts, [{ post_id: adasPost.postId, post_title: 'On engines', XNO: sum(1, xno), USDC: nothing }])
})

test('payments to one creator at the same moment are all counted for their day', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  await Promise.all(Array.from({ length: 8 }, () => tipsWith(world, bob, adasPost, xno)))
  deepEqual((await reportOf(ada)).summary.XNO, sum(8, 8n * xno))
  deepEqual(await auditBooks(world.services.db, world.services.clock.now()), [])
})

test('a report is of 1 to 366 days', async (t) => {
  const { world, ada } = await creatorsIn(t)
  for (const days of ['0', '367', '-1', '1.5', 'x', ''])
    equal((await ada.owner.sends(getEarningsReport, { query: { days } })).status, 400, days)
  deepEqual([(await reportOf(ada, 366)).from, (await reportOf(ada, 1)).from], [dayIn(world, 365), dayIn(world)])
})

test('the audit notices a day that was tampered with', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  await tipsWith(world, bob, adasPost, xno)
  await world.services.pool.query('UPDATE earning_days SET gross_raw = gross_raw + 1, net_raw = net_raw + 1')
  const findings = await auditBooks(world.services.db, world.services.clock.now())
  deepEqual(findings, [`account ${ada.accountId}: what came in on a day is not that of its lines`])
})

test('a report has the rates of now, unless they are old', async (t) => {
  const { world, ada } = await creatorsIn(t, { isolation: 'own' })
  const { rates, clock } = world.services
  const pairAt = (at: Date) => ({ XNO: { usd: '2.5', at }, USDC: { usd: '0.999', at } })
  rates.set(pairAt(clock.now()))
  deepEqual((await reportOf(ada)).rates, { XNO: '2.5', USDC: '0.999' })
  rates.set(pairAt(new Date(clock.now().getTime() - 3_601_000)))
  deepEqual((await reportOf(ada)).rates, { XNO: null, USDC: null })
})
