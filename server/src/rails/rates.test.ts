import { deepEqual, equal } from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setRates } from '@pennypost/contract/development-tools'
import { createLog } from '../platform/log.ts'
import { until } from '../test/until.ts'
import { createWorld } from '../test/world.ts'
import { areFresh, openRates } from './rates.ts'

const clock = { now: () => new Date('2026-01-01T00:00:00Z') }
const log = createLog('silent')

async function provider(t: TestContext, reply: unknown): Promise<string> {
  const server = createServer((_request, response) => response.end(JSON.stringify(reply)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

test("rates come from the provider, and their age is counted from the provider's timestamp", async (t) => {
  const at = '2025-12-31T23:30:00Z'
  const ratesUrl = await provider(t, { XNO: { usd: '1.31', at }, USDC: { usd: '0.999', at: Date.parse(at) / 1000 } })
  const rates = openRates({ ratesUrl, ratesStatic: undefined }, clock, log)
  t.after(() => rates.stop())
  await until('the rates are there', () => rates.current())
  deepEqual(rates.current(), { XNO: { usd: '1.31', at: new Date(at) }, USDC: { usd: '0.999', at: new Date(at) } })
  equal(areFresh(rates.current(), clock.now()), true)
  equal(areFresh(rates.current(), new Date('2026-01-01T00:30:00.001Z')), false)
})

test('an invalid reply from the provider is ignored', async (t) => {
  for (const reply of [
    {},
    'x',
    { XNO: { usd: '0', at: 1 }, USDC: { usd: '1', at: 1 } },
    { XNO: { usd: 1, at: 1 }, USDC: { usd: 1, at: 1 } },
  ]) {
    const ratesUrl = await provider(t, reply)
    const listening = createLog('silent')
    let warnings = 0
    listening.warn = () => {
      warnings += 1
    }
    const rates = openRates({ ratesUrl, ratesStatic: undefined }, clock, listening)
    await until('the reply was refused', () => warnings > 0)
    rates.stop()
    equal(rates.current(), undefined, JSON.stringify(reply))
  }
})

test('without a source nothing can be converted; the fixed rates are current until they are set', async (t) => {
  equal(openRates({ ratesUrl: undefined, ratesStatic: undefined }, clock, log).current(), undefined)
  const world = await createWorld(t)
  const { rates, clock: now } = world.services
  equal(rates.current()?.XNO.usd, '1.25')
  await world.advance(86_400)
  equal(areFresh(rates.current(), now.now()), true)
  const at = new Date(now.now().getTime() - 7_200_000).toISOString()
  const set = await world.stranger().calls(setRates, { body: { XNO: '2.5', USDC: '1', at } })
  deepEqual(set.body, { XNO: '2.5', USDC: '1', at })
  equal(areFresh(rates.current(), now.now()), false)
  equal((await world.stranger().calls(setRates, { body: { XNO: '0', USDC: '1' } })).status, 422)
})
