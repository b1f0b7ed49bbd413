import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Limit, limit } from '@pennypost/contract/limit'
import fc from 'fast-check'
import pg from 'pg'
import { createClient } from 'redis'
import { openRelay } from '../../test/relay.ts'
import { cloneTestDatabase } from '../../test/test-database.ts'
import { until } from '../../test/until.ts'
import { createLog } from '../log.ts'
import { adjustLimits } from './adjusted-limits.ts'
import { memoryRateLimiter } from './memory-rate-limiter.ts'
import { postgresRateLimiter } from './postgres-rate-limiter.ts'
import { connected, hasRedis, redis } from './redis.fixture.ts'
import { redisRateLimiter } from './redis-rate-limiter.ts'

const three = limit('three', { per: 'ip', max: 3, seconds: 10 })
const many = limit('many', { per: 'ip', max: 450, seconds: 10 })

/** Does not count in memory because the machine is busy and the database slow. */
const patient = { timeoutMs: 60_000 }

test('a limit holds in every window of its length', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 6_000 }), { maxLength: 60 }), async (gaps) => {
      const counters = memoryRateLimiter()
      const passed: number[] = []
      let now = 1_000_000
      for (const gap of gaps) {
        now += gap
        const { allowed, retryAfterSeconds } = await counters.consume(three, 'x', new Date(now))
        const inWindow = passed.filter((time) => time > now - 10_000).length
        equal(allowed, inWindow < 3)
        if (allowed) passed.push(now)
        // A client that waits for Retry-After is allowed.
        else equal(passed.filter((time) => time > now + retryAfterSeconds * 1000 - 10_000).length < 3, true)
      }
    }),
  )
})

test('a limit of many requests lets through less than one percent more, and refuses nobody who is below it', async () => {
  const waves = fc.array(fc.record({ gap: fc.nat(6_000), requests: fc.nat(300), waits: fc.boolean() }), {
    maxLength: 30,
  })
  await fc.assert(
    fc.asyncProperty(waves, async (all) => {
      const counters = memoryRateLimiter()
      const passed: number[] = []
      let now = 1_000_000
      let isPatient = false
      for (const { gap, requests, waits } of all) {
        now += gap
        for (let index = 0; index < requests; index += 1) {
          now += index % 7
          const { allowed, retryAfterSeconds } = await counters.consume(many, 'x', new Date(now))
          const inWindow = passed.filter((time) => time > now - 10_000).length
          if (inWindow < 450 || isPatient) ok(allowed, `refused after ${inWindow}`)
          if (allowed) passed.push(now)
          ok(inWindow + Number(allowed) < 450 * 1.01, `${inWindow} and one more`)
          // A client that waits for Retry-After is allowed.
          isPatient = !allowed && waits
          if (isPatient) now += retryAfterSeconds * 1000
        }
        isPatient = false
      }
    }),
  )
})

test('while Redis is away, the limit holds across processes in what is given instead', async (t) => {
  const log = createLog('silent')
  const database = await cloneTestDatabase()
  const counting = await Promise.all([1, 2].map(() => postgresRateLimiter(database.url, log, patient)))
  const both = await Promise.all(counting.map((counters) => redisRateLimiter('redis://127.0.0.1:1', log, counters)))
  t.after(async () => {
    await Promise.all(both.map((each) => each.close()))
    await database.drop()
  })
  // They notice each other within a second; until then each counts in memory.
  const now = new Date(2_000_000_000_000)
  let tries = 0
  await until('they share one budget', async () => {
    tries += 1
    for (const index of [0, 1, 0]) await both[index]!.consume(three, `x${tries}`, now)
    return !(await both[1]!.consume(three, `x${tries}`, now)).allowed
  })
})

test('with Redis, processes share one budget; while Redis is down, each counts alone', {
  skip: hasRedis ? false : 'redis-server is not installed here',
}, async (t) => {
  const { url, server, start } = await redis(t)
  const log = createLog('silent')
  const [first, second] = [await redisRateLimiter(url, log), await redisRateLimiter(url, log)]
  t.after(() => Promise.all([first.close(), second.close()]))
  await connected(first, true)
  await connected(second, true)
  const now = new Date(2_000_000_000_000)
  const both = await Promise.all(
    Array.from({ length: 10 }, (_, index) => (index % 2 ? first : second).consume(three, 'x', now)),
  )
  equal(both.filter((taken) => taken.allowed).length, 3)
  deepEqual(await first.consume(three, 'x', now), { allowed: false, retryAfterSeconds: 10 })
  ok((await first.consume(three, 'x', new Date(now.getTime() + 10_000))).allowed)
  server.kill('SIGKILL')
  await connected(first, false)
  ok((await first.consume(three, 'y', now)).allowed)
  const again = await start()
  t.after(() => again.kill('SIGKILL'))
  await connected(first, true)
})

test('a Redis that falls silent keeps nobody waiting, and is used again when it is back', {
  skip: hasRedis ? false : 'redis-server is not installed here',
}, async (t) => {
  const { url } = await redis(t)
  const relay = await openRelay({ target: Number(new URL(url).port) })
  const log = createLog('silent')
  const direct = await redisRateLimiter(url, log)
  const cutOff = await redisRateLimiter(`redis://127.0.0.1:${relay.port}`, log)
  t.after(async () => {
    await Promise.all([direct.close(), cutOff.close()])
    relay.close()
  })
  await connected(direct, true)
  await connected(cutOff, true)
  const now = new Date(2_000_000_000_000)
  relay.cut()
  const taken = await Promise.all([1, 2, 3, 4].map(() => cutOff.consume(three, 'x', now)))
  equal(taken.filter(({ allowed }) => allowed).length, 3)
  // The old connection stays silent forever.
  await relay.heal({ forgets: true })
  await connected(cutOff, true)
  for (let count = 0; count < 3; count += 1) await direct.consume(three, 'y', now)
  equal((await cutOff.consume(three, 'y', now)).allowed, false)
})

test('a Redis without memory refuses, and the limit holds without it', {
  skip: hasRedis ? false : 'redis-server is not installed here',
}, async (t) => {
  const { url } = await redis(t)
  const counters = await redisRateLimiter(url, createLog('silent'))
  const admin = createClient({ url })
  await admin.connect()
  t.after(async () => {
    await counters.close()
    admin.destroy()
  })
  await connected(counters, true)
  await admin.configSet({ maxmemory: '1', 'maxmemory-policy': 'noeviction' })
  const now = new Date(2_000_000_000_000)
  const taken = await Promise.all([1, 2, 3, 4].map(() => counters.consume(three, 'x', now)))
  equal(taken.filter(({ allowed }) => allowed).length, 3)
  equal(counters.isConnected(), true)
})

test('without Redis, processes with the same database share one budget; a single process counts in memory', async (t) => {
  const database = await cloneTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.after(async () => {
    await client.end()
    await database.drop()
  })
  const counted = async () => {
    const { rows } = await client.query<{ name: string }>('SELECT name FROM rate_counters')
    return rows.map(({ name }) => name)
  }
  const log = createLog('silent')
  const first = await postgresRateLimiter(database.url, log, patient)
  const now = new Date(2_000_000_000_000)
  ok((await first.consume(three, 'alone', now)).allowed)
  deepEqual(await counted(), [])

  const second = await postgresRateLimiter(database.url, log, patient)
  for (const [probe, each] of Object.entries({ first, second })) {
    await until(`the ${probe} notices the other`, async () => {
      await each.consume(three, probe, new Date(0))
      return (await counted()).some((name) => name.endsWith(probe))
    })
  }
  for (const [each, requests] of [
    [three, 20],
    [many, 500],
  ] as const) {
    const both = await Promise.all(
      Array.from({ length: requests }, (_, index) => (index % 2 ? first : second).consume(each, 'x', now)),
    )
    equal(both.filter(({ allowed }) => allowed).length, each.max)
    deepEqual(await first.consume(each, 'x', now), { allowed: false, retryAfterSeconds: 10 })
  }
  deepEqual(await second.consume(three, 'x', new Date(now.getTime() + 9_001)), { allowed: false, retryAfterSeconds: 1 })
  ok((await first.consume(three, 'x', new Date(now.getTime() + 10_000))).allowed)
  ok((await second.consume(three, 'y', now)).allowed)

  await second.close()
  let tries = 0
  await until('the first notices that it is alone', async () => {
    tries += 1
    await client.query('DELETE FROM rate_counters')
    await first.consume(three, `gone ${tries}`, now)
    return (await counted()).length === 0
  })
  await first.close()
})

/** Two processes that share a database and know of each other. */
async function twoProcesses(t: TestContext) {
  const database = await cloneTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const log = createLog('silent')
  const processes = [
    await postgresRateLimiter(database.url, log, patient),
    await postgresRateLimiter(database.url, log, patient),
  ] as const
  t.after(async () => {
    for (const one of processes) await one.close()
    await client.end()
    await database.drop()
  })
  let tries = 0
  await until('both count together', async () => {
    tries += 1
    const taken = []
    for (let count = 0; count < 4; count += 1)
      taken.push(await processes[count % 2]!.consume(three, `wait ${tries}`, new Date(0)))
    return !taken[3]!.allowed
  })
  return { client, processes }
}

test('shared counters are as exact as counters in memory', async (t) => {
  const { processes } = await twoProcesses(t)
  let subject = 0
  const counted = async (limit: Limit, gaps: readonly number[]) => {
    subject += 1
    const model = memoryRateLimiter()
    let now = 1_000_000
    for (const [index, gap] of gaps.entries()) {
      now += gap
      const shared = await processes[index % 2]!.consume(limit, `${subject}`, new Date(now))
      deepEqual(shared, await model.consume(limit, 'x', new Date(now)))
    }
  }
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(6_000), { maxLength: 30 }), (gaps) => counted(three, gaps)),
    { numRuns: 30 },
  )
  // About as many as are allowed, so that some are refused.
  const gaps = fc.array(fc.nat(40), { minLength: 1_000, maxLength: 1_000 })
  await fc.assert(
    fc.asyncProperty(gaps, (some) => counted(many, some)),
    // Looking for a smaller example would take minutes.
    { numRuns: 2, endOnFailure: true },
  )
})

test('what a request writes does not grow with the limit', async (t) => {
  const { client, processes } = await twoProcesses(t)
  const wide = limit('wide', { per: 'ip', max: 4_000, seconds: 10 })
  // At first with no more than allowed, then with twice as many.
  for (const [from, everyMs] of [
    [0, 3],
    [10_000, 1],
  ] as const) {
    const requests = Array.from({ length: 3_000 }, (_, index) => new Date(1_000_000 + from + index * everyMs))
    while (requests.length > 0)
      await Promise.all(requests.splice(0, 100).map((date, index) => processes[index % 2]!.consume(wide, 'x', date)))
  }
  const { rows } = await client.query(
    `SELECT pg_column_size(hits) AS bytes FROM rate_counters known WHERE name LIKE 'limit:wide:x%'`,
  )
  equal(rows.length, 1)
  ok(rows[0].bytes < 1_000, `${rows[0].bytes} bytes`)
})

test('an operator can set other figures for a limit by its name', async () => {
  const limit = (name: string) => ({ name, per: 'ip', max: 5, seconds: 60 }) as const
  const counters = adjustLimits(memoryRateLimiter(), new Map([['few', { max: 2, seconds: 10 }]]))
  const consume = (name: string, at: number) => counters.consume(limit(name), 'someone', new Date(at))
  const allowed = []
  for (const at of [0, 1, 2]) allowed.push((await consume('few', at)).allowed, (await consume('many', at)).allowed)
  deepEqual(allowed, [true, true, true, true, false, true])
  equal((await consume('few', 10_001)).allowed, true)
})
