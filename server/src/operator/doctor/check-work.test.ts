import { deepEqual, match } from 'node:assert/strict'
import { test } from 'node:test'
import { openMarket, price, quotes } from '../../payments/market.fixture.ts'
import { checkWork } from './check-work.ts'

test('a payout that waits for hours is wrong, and commission may wait for a day', async (t) => {
  const market = await openMarket(t, { isolation: 'own' })
  const { config, pool, clock } = market.world.services
  /** What is not right. */
  const check = async (): Promise<string[]> => {
    const found: string[] = []
    const add = (detail: string) => void found.push(detail)
    const report = { ok: () => {}, skip: () => {}, warn: add, wrong: add }
    await checkWork(config, async () => market.world.databaseUrl).run(report, new AbortController().signal)
    return found
  }
  const { address } = await quotes(market.buyer, market.postId)
  await market.pays(address, price)
  await market.checkAddresses()
  /** What is not right about money, if a payout of this role has waited for so many hours. */
  const findings = async (role: string, hours: number): Promise<string[]> => {
    const createdAt = new Date(clock.now().getTime() - hours * 3_600_000)
    await pool.query(
      `UPDATE payouts SET state = 'waiting', confirmed_at = NULL, block_hash = NULL, created_at = $2 WHERE role = $1`,
      [role, createdAt],
    )
    return (await check()).filter((detail) => /payouts|commission/.test(detail))
  }
  deepEqual(await findings('house', 25), [])
  match(String(await findings('house', 31)), /^commission of 1 sales was not sent/)
  await findings('house', 0)
  match(String(await findings('creator', 2)), /^1 Nano payouts are under way/)

  // The jobs of a sweep take hours too.
  const add = 'INSERT INTO jobs (name, payload, run_at, max_attempts) VALUES ($1, $2, $3, 10)'
  const late = async (name: string) => {
    await pool.query(add, [name, {}, new Date(clock.now().getTime() - 2 * 3_600_000)])
    const found = await check()
    await pool.query('DELETE FROM jobs WHERE name = $1', [name])
    return found.filter((detail) => /^jobs due/.test(detail))
  }
  deepEqual(await late('move-crowded-nano-address'), [])
  match(String(await late('move-nano-address')), /^jobs due: .*, the oldest for 2 hours/)
})
