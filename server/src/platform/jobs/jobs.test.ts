import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { z } from 'zod'
import { rowsRead } from '../../test/rows-read.ts'
import { until as waitUntil } from '../../test/until.ts'
import { openWorld } from '../../test/world.ts'
import { enqueue, enqueueMany, type Job, shares } from './job.ts'
import { jobPlaces } from './job-places.ts'
import {
  claimJobs,
  claimSettings,
  claimStatement,
  countDeadJobs,
  listOtherNames,
  returnJobs,
  returnOrphanedJobs,
  scheduleJob,
  workerLockClass,
} from './job-store.ts'
import { runDueJobs } from './run-job.ts'
import { startWorker } from './worker.ts'

const { all: places } = jobPlaces()

const workerLocks = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

async function workshop(t: TestContext) {
  // Some jobs are due by the database's clock.
  const world = await openWorld(t, { isolation: 'unmoved' })
  const { db, clock, pool, log, metrics } = world.services
  const url = world.databaseUrl
  // The database may need a moment to see that the worker of the test before has left.
  await waitUntil('there is no worker', async () => (await pool.query(workerLocks, [workerLockClass])).rowCount === 0)
  const done: string[] = []
  let release: () => void = () => {}
  const remember: Job<string[], z.ZodObject<{ word: z.ZodString; queue: z.ZodOptional<z.ZodString> }>> = {
    name: 'remember',
    payload: z.object({ word: z.string(), queue: z.string().optional() }),
    queue: ({ word, queue }) => queue ?? word,
    attempts: 3,
    async run(list, { word }) {
      // With a character that PostgreSQL does not store.
      if (word === 'fail') throw new Error('as \0asked')
      if (word === 'wait')
        await new Promise<void>((resolve) => {
          release = resolve
        })
      list.push(word)
    },
  }
  const settings = { jobs: [remember], services: done, pool, clock, log, metrics }
  const promise = (word: string, options: { runAt?: Date; key?: string; queue?: string } = {}) =>
    db.transaction().execute((tx) => enqueue(tx, clock, remember, { word, queue: options.queue }, options))
  const until = (condition: () => boolean | Promise<boolean>) => waitUntil('the worker got there', condition)
  return { world, db, clock, pool, url, done, remember, settings, promise, until, release: () => release() }
}

test('a job is added with its transaction or not at all', async (t) => {
  const { db, clock, remember, settings, done, promise } = await workshop(t)
  await promise('kept')
  await rejects(
    db.transaction().execute(async (tx) => {
      await enqueue(tx, clock, remember, { word: 'broken' })
      throw new Error('the change failed')
    }),
  )
  await runDueJobs(settings)
  deepEqual(done, ['kept'])
})

test('no more jobs are claimed than wanted, even if the planner expects few', async (t) => {
  const { pool, clock, promise, settings } = await workshop(t)
  await promise('1')
  // With one row in its statistics the planner would choose a nested loop and search for due jobs once per job.
  await pool.query('ANALYZE jobs')
  for (const word of ['2', '3', '4']) await promise(word)
  const jobs = [{ name: 'remember', most: 8, isLowPriority: false }]
  const claim = (most: number) => claimJobs(pool, { claimant: 1, now: clock.now(), jobs, most })
  equal((await claim(1)).length, 1)
  equal((await claim(2)).length, 2)
  await returnJobs(pool, 1, [])
  await runDueJobs(settings)
})

test('a payload that does not match its schema is refused by enqueue', async (t) => {
  const { db, clock, remember } = await workshop(t)
  await rejects(db.transaction().execute((tx) => enqueue(tx, clock, remember, { word: 1 as unknown as string })))
})

test('a job for later waits for the clock, and the clock can be moved', async (t) => {
  const { world, clock, settings, done, promise } = await workshop(t)
  const inAnHour = () => new Date(clock.now().getTime() + 3_600_000)
  await promise('later', { runAt: inAnHour() })
  await world.advance(3_599)
  await promise('even later', { runAt: inAnHour() })
  await runDueJobs(settings)
  deepEqual(done, [])
  await world.advance(2)
  await runDueJobs(settings)
  deepEqual(done, ['later'])
  await world.advance(3_600)
  await runDueJobs(settings)
  deepEqual(done, ['later', 'even later'])
})

test('jobs with the same key become one job', async (t) => {
  const { settings, done, promise } = await workshop(t)
  for (let count = 0; count < 5; count += 1) await promise(`v${count}`, { key: 'thing' })
  await runDueJobs(settings)
  deepEqual(done, ['v4'])
})

test('of two jobs with the same key, the one that is not of low priority stays', async (t) => {
  const { db, clock, pool, remember, settings, done, promise } = await workshop(t)
  const patient = { ...remember, name: 'remember later', lowPriority: true as const, attempts: 2 }
  const promiseLater = (word: string) =>
    db.transaction().execute((tx) => enqueue(tx, clock, patient, { word }, { key: 'thing' }))
  const ofKey = `SELECT name, low_priority, max_attempts FROM jobs WHERE key = 'thing'`
  const waiting = async () => (await pool.query(ofKey)).rows
  await promiseLater('first')
  deepEqual(await waiting(), [{ name: 'remember later', low_priority: true, max_attempts: 2 }])
  await promise('second', { key: 'thing' })
  const normal = [{ name: 'remember', low_priority: false, max_attempts: 3 }]
  deepEqual(await waiting(), normal)
  await promiseLater('third')
  deepEqual(await waiting(), normal)
  await runDueJobs({ ...settings, jobs: [patient, remember] })
  deepEqual(done, ['third'])
})

test('a job that is added while one with its key runs is run afterwards', async (t) => {
  const { settings, done, promise, url, until, release } = await workshop(t)
  const worker = await startWorker(settings, url)
  await promise('wait', { key: 'thing' })
  await until(async () => (await settings.pool.query('SELECT FROM jobs WHERE claimed_by IS NOT NULL')).rowCount === 1)
  await promise('again', { key: 'thing' })
  release()
  await until(() => done.length === 2)
  deepEqual(done.sort(), ['again', 'wait'])
  await worker.stop(1_000)
})

test('low-priority jobs run after all others, and all of them run', async (t) => {
  const { db, clock, remember, settings, done, promise } = await workshop(t)
  const crowd = Array.from({ length: 30 }, (_, index) => `crowd ${index}`)
  const patient = { ...remember, name: 'remember later', lowPriority: true as const }
  await db.transaction().execute((tx) =>
    enqueueMany(
      tx,
      clock,
      patient,
      crowd.map((word) => ({ word })),
    ),
  )
  await db.transaction().execute((tx) => enqueueMany(tx, clock, patient, []))
  await promise('alone')
  await rejects(
    db.transaction().execute((tx) => enqueueMany(tx, clock, patient, [{ word: 'good' }, { word: 1 as never }])),
  )
  await runDueJobs({ ...settings, jobs: [patient, remember] })
  equal(done[0], 'alone')
  deepEqual(done.slice(1).sort(), crowd.sort())
})

test('a job with a concurrency limit does not hold up other jobs', async (t) => {
  const { db, clock, settings, remember, done, promise, url, until } = await workshop(t)
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  let atOnce = 0
  let most = 0
  const slow: typeof remember = {
    ...remember,
    name: 'slow',
    concurrency: 3,
    async run(list, { word }) {
      atOnce += 1
      most = Math.max(most, atOnce)
      await opened
      atOnce -= 1
      list.push(word)
    },
  }
  const words = Array.from({ length: 10 }, (_, index) => ({ word: `slow ${index}` }))
  await db.transaction().execute((tx) => enqueueMany(tx, clock, slow, words))
  const worker = await startWorker({ ...settings, jobs: [remember, slow] }, url)
  await promise('quick')
  await until(() => done.length === 1)
  deepEqual(done, ['quick'])
  open()
  await until(() => done.length === 11)
  equal(most, 3)
  await worker.stop(1_000)
})

test('a claim reads only what it may take, whatever else waits', async (t) => {
  const { pool, url, clock, promise } = await workshop(t)
  // A plan for an almost empty table: the statistics are as old as that.
  await promise('first')
  await pool.query('ANALYZE jobs')
  await pool.query(
    `INSERT INTO jobs (name, payload, queue, run_at, max_attempts, low_priority)
     SELECT CASE n % 4 WHEN 0 THEN 'unknown' WHEN 1 THEN 'busy' WHEN 2 THEN 'later' ELSE 'low' END, '{}',
       CASE n % 4 WHEN 1 THEN 'q' || n END, $1::timestamptz + CASE n % 4 WHEN 2 THEN interval '1 hour' ELSE interval '0' END, 1, n % 4 = 3
     FROM generate_series(1, 20000) n`,
    [new Date(clock.now().getTime() - 60_000)],
  )
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(claimSettings)
  const names = ['remember', 'low', 'later']
  const shareNames = ['job remember', 'spare', 'job later']
  const values = [1, clock.now(), 8, names, [4, 8, 8], [false, true, false], shareNames, [8, 4, 8]]
  const read = await rowsRead(client, { name: 'claim', text: claimStatement }, values)
  await client.end()
  // One of ours, eight of low priority to choose from, and each that was chosen once more to mark it.
  ok(read < 50, `${read} rows were read`)
  await pool.query('TRUNCATE jobs')
})

test('jobs of one share have its places together, and leave the others free though they hang', async (t) => {
  const { db, clock, settings, remember, done, promise, url, until } = await workshop(t)
  const running: string[] = []
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const hanging = (name: string, lowPriority?: true): typeof remember => ({
    ...remember,
    name,
    share: 'spare',
    ...(lowPriority && { lowPriority }),
    async run() {
      running.push(name)
      await opened
    },
  })
  const [low, ordinary] = [hanging('low', true), hanging('ordinary')]
  const words = Array.from({ length: 20 }, (_, index) => ({ word: `hang ${index}` }))
  await db.transaction().execute((tx) => enqueueMany(tx, clock, low, words))
  await db.transaction().execute((tx) => enqueueMany(tx, clock, ordinary, [{ word: 'a' }]))
  const worker = await startWorker({ ...settings, jobs: [remember, low, ordinary] }, url)
  await until(() => running.length === shares.spare)
  deepEqual(running.toSorted(), ['low', 'ordinary'])
  await promise('quick')
  await until(() => done.length === 1)
  equal(running.length, shares.spare)
  open()
  await until(() => running.length === 21)
  await worker.stop(1_000)
})

test('a job that this version does not know waits for one that does', async (t) => {
  const { pool, settings, remember, done, promise, url, until } = await workshop(t)
  await promise('new')
  await pool.query(`UPDATE jobs SET name = 'remember in a new way'`)
  const old = await startWorker(settings, url)
  await promise('known')
  await until(() => done.length === 1)
  deepEqual(done, ['known'])
  deepEqual((await pool.query('SELECT attempts FROM jobs')).rows, [{ attempts: 0 }])
  deepEqual(await listOtherNames(pool, ['remember']), ['remember in a new way'])
  await old.stop(1_000)
  const current = await startWorker({ ...settings, jobs: [{ ...remember, name: 'remember in a new way' }] }, url)
  await until(() => done.length === 2)
  await current.stop(1_000)
  deepEqual(await listOtherNames(pool, []), [])
})

test('a failing job is retried, then kept as dead and counted', async (t) => {
  const { world, pool, settings, promise } = await workshop(t)
  await promise('fail')
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await runDueJobs(settings)
    await world.advance(3_600)
  }
  equal(await countDeadJobs(pool), 1)
  const { rows } = await pool.query('SELECT attempts, max_attempts, last_error FROM jobs')
  equal(rows[0].attempts, 3)
  ok(rows[0].last_error.includes('as asked'))
})

test('jobs of one queue run one at a time, others in parallel', async (t) => {
  const { settings, done, promise, url, until, release } = await workshop(t)
  await promise('wait', { queue: 'q' })
  await promise('second', { queue: 'q' })
  await promise('other')
  const workers = [await startWorker(settings, url), await startWorker(settings, url)]
  await until(() => done.length === 1)
  // The workers have room for this one, but not for the second of the queue.
  await promise('another')
  await until(() => done.length === 2)
  deepEqual(done, ['other', 'another'])
  release()
  await until(() => done.length === 4)
  deepEqual(done, ['other', 'another', 'wait', 'second'])
  for (const worker of workers) await worker.stop(1_000)
})

test('two processes that do not see each other claim one job of a queue', async (t) => {
  const { pool, clock, promise, until } = await workshop(t)
  await promise('first', { queue: 'q' })
  const jobs = [{ name: 'remember', most: 8, isLowPriority: false }]
  const claimWith = (on: pg.Pool | pg.PoolClient, claimant: number) =>
    claimJobs(on, { claimant, now: clock.now(), jobs, most: 8 })
  const one = await pool.connect()
  await one.query('BEGIN')
  equal((await claimWith(one, 1)).length, 1)
  // To the second process, which does not see the claim yet, this is the first job of the queue.
  await promise('earlier', { queue: 'q', runAt: new Date(clock.now().getTime() - 60_000) })
  const other = claimWith(pool, 2)
  await until(async () => {
    const { rowCount } = await pool.query(`SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted`)
    return rowCount! > 0
  })
  await one.query('COMMIT')
  one.release()
  deepEqual(await other, [])
  await pool.query(`DELETE FROM jobs WHERE name = 'remember'`)
})

test('a job whose process dies at every attempt ends up dead', async (t) => {
  const { pool, promise } = await workshop(t)
  await promise('deadly')
  await pool.query('UPDATE jobs SET claimed_by = 12345, attempts = 2')
  equal(await returnOrphanedJobs(pool, [12345], new Date()), 1)
  equal(await countDeadJobs(pool), 0)
  await pool.query('UPDATE jobs SET claimed_by = 12345, attempts = 3')
  await returnOrphanedJobs(pool, [12345], new Date())
  equal(await countDeadJobs(pool), 1)
})

test('a dead recurring job is scheduled again', async (t) => {
  const { pool } = await workshop(t)
  const later = new Date(Date.now() + 3_600_000)
  await scheduleJob(pool, 'hourly', 3, new Date())
  await pool.query('UPDATE jobs SET dead_at = now(), attempts = 3')
  await scheduleJob(pool, 'hourly', 3, later)
  const { rows } = await pool.query('SELECT attempts, dead_at FROM jobs')
  deepEqual(rows, [{ attempts: 0, dead_at: null }])
})

test('a worker with no free slot still restores its lock', async (t) => {
  const { settings, promise, url, pool, until } = await workshop(t)
  const worker = await startWorker(settings, url)
  for (let count = 0; count < places + 4; count += 1) await promise('wait', { queue: `q${count}` })
  const countOf = async (query: string, values: unknown[] = []) => (await pool.query(query, values)).rowCount
  await until(async () => (await countOf('SELECT FROM jobs WHERE claimed_by IS NOT NULL')) === places)
  const sessions = `FROM pg_stat_activity WHERE application_name = 'pennypost worker' AND datname = current_database()`
  await pool.query(`SELECT pg_terminate_backend(pid) ${sessions}`)
  // It holds its lock again although all slots are busy. Otherwise others would take it for dead.
  await until(async () => (await countOf(workerLocks, [workerLockClass])) === 1)
  ok(worker.isRunning())
  await worker.stop(50)
  await pool.query('DELETE FROM jobs')
})

test('three workers run each of a hundred jobs once', async (t) => {
  const { settings, done, promise, url, until } = await workshop(t)
  const words = Array.from({ length: 100 }, (_, index) => `w${index}`)
  const workers = await Promise.all([1, 2, 3].map(() => startWorker(settings, url)))
  await Promise.all(words.map((word) => promise(word)))
  await until(() => done.length >= 100)
  for (const worker of workers) await worker.stop(1_000)
  deepEqual(done.sort(), words.sort())
})

test('a stopped worker claims nothing and releases what it cannot finish', async (t) => {
  const { pool, settings, done, promise, url, until } = await workshop(t)
  const worker = await startWorker(settings, url)
  ok(worker.isRunning())
  await promise('wait')
  await until(async () => (await pool.query('SELECT FROM jobs WHERE claimed_by IS NOT NULL')).rowCount === 1)
  await worker.stop(50)
  equal(worker.isRunning(), false)
  const { rows } = await pool.query('SELECT attempts, claimed_by FROM jobs')
  deepEqual(rows, [{ attempts: 0, claimed_by: null }])
  deepEqual(done, [])
  await pool.query('DELETE FROM jobs')
})

test('jobs of a killed process are run by another one', async (t) => {
  const { settings, done, promise, url, until } = await workshop(t)
  await promise('taken over')
  const child = fork(fileURLToPath(new URL('./stuck-worker.fixture.js', import.meta.url)), [url], { stdio: 'ignore' })
  await once(child, 'message')
  child.kill('SIGKILL')
  await once(child, 'exit')
  const worker = await startWorker(settings, url)
  await until(() => done.length === 1)
  await worker.stop(1_000)
})

test('a job whose claim we never heard of is released and run', async (t) => {
  const { pool, settings, done, promise, url, until } = await workshop(t)
  const worker = await startWorker(settings, url)
  await promise('later', { runAt: new Date(Date.now() + 3_600_000) })
  // As if the claim had been committed but its reply lost: the job is marked with the worker's own lock.
  await pool.query(
    `UPDATE jobs SET attempts = 1, run_at = now(), claimed_by = (SELECT objid::int FROM pg_locks
       WHERE locktype = 'advisory' AND classid = $1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
    [workerLockClass],
  )
  await until(() => done.length === 1)
  await worker.stop(1_000)
})

test('a worker whose connections are cut continues, and runs no job twice at the same time', async (t) => {
  const { pool, settings, done, promise, url, until, release } = await workshop(t)
  const worker = await startWorker(settings, url)
  await promise('wait')
  await until(async () => (await pool.query('SELECT FROM jobs WHERE claimed_by IS NOT NULL')).rowCount === 1)
  for (let cut = 0; cut < 30; cut += 1) {
    await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pennypost worker' AND datname = current_database()`,
    )
    await wait(20)
  }
  release()
  await until(() => done.length === 1)
  await promise('after')
  await until(() => done.length === 2)
  deepEqual(done, ['wait', 'after'])
  ok(worker.isRunning())
  await worker.stop(1_000)
})

test('a recurring job is scheduled for the next hour, once', async (t) => {
  const { world, pool, url, settings, until } = await workshop(t)
  let ran = 0
  const hourly = {
    name: 'hourly',
    payload: z.object({}),
    attempts: 1,
    every: 'hour',
    run: async () => {
      ran += 1
    },
  } as const
  const workers = await Promise.all([1, 2].map(() => startWorker({ ...settings, jobs: [hourly] }, url)))
  equal((await pool.query('SELECT FROM jobs')).rowCount, 1)
  await world.advance(3_600)
  await until(() => ran > 0)
  equal(ran, 1)
  for (const worker of workers) await worker.stop(1_000)
  await pool.query('DELETE FROM jobs')
})
