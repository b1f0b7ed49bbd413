import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { limit } from '@pennypost/contract/limit'
import fc from 'fast-check'
import { createLog } from '../log.ts'
import { memoryCounters } from './memory-counters.ts'
import { connected, hasRedis, redis } from './redis.fixture.ts'
import { redisCounters } from './redis-counters.ts'

const three = limit('three', { per: 'ip', max: 3, seconds: 10 })

test('in no window of its length does a limit let more through', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 6_000 }), { maxLength: 60 }), async (gaps) => {
      const counters = memoryCounters()
      const passed: number[] = []
      let now = 1_000_000
      for (const gap of gaps) {
        now += gap
        const { allowed, retryAfterSeconds } = await counters.take(three, 'x', new Date(now))
        const inWindow = passed.filter((time) => time > now - 10_000).length
        equal(allowed, inWindow < 3)
        if (allowed) passed.push(now)
        // Who waits as long as told gets through.
        else equal(passed.filter((time) => time > now + retryAfterSeconds * 1000 - 10_000).length < 3, true)
      }
    }),
  )
})

test('with Redis several processes share one budget; while it is away each counts alone', {
  skip: hasRedis ? false : 'redis-server is not installed here',
}, async (t) => {
  const { url, server, start } = await redis(t)
  const log = createLog('silent')
  const [first, second] = [await redisCounters(url, log), await redisCounters(url, log)]
  t.after(() => Promise.all([first.close(), second.close()]))
  await connected(first, true)
  await connected(second, true)
  const now = new Date(2_000_000_000_000)
  const both = await Promise.all(
    Array.from({ length: 10 }, (_, index) => (index % 2 ? first : second).take(three, 'x', now)),
  )
  equal(both.filter((taken) => taken.allowed).length, 3)
  deepEqual(await first.take(three, 'x', now), { allowed: false, retryAfterSeconds: 10 })
  ok((await first.take(three, 'x', new Date(now.getTime() + 10_000))).allowed)
  server.kill('SIGKILL')
  await connected(first, false)
  ok((await first.take(three, 'y', now)).allowed)
  const again = await start()
  t.after(() => again.kill('SIGKILL'))
  await connected(first, true)
})
