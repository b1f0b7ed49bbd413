import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { createWorld } from '../../test/world.ts'
import { countDeadJobs, enqueue, type Job } from './job.ts'
import { releaseDeadWorkers } from './live-workers.ts'
import { runDueJobs, startWorker } from './work.ts'

async function workshop(t: TestContext) {
  const world = await createWorld(t)
  const { db, clock, pool, log, metrics } = world.services
  const done: string[] = []
  const remember: Job<string[], z.ZodObject<{ word: z.ZodString }>> = {
    name: 'remember',
    payload: z.object({ word: z.string() }),
    queue: () => 'memory',
    attempts: 3,
    async run(list, { word }) {
      if (word === 'fail') throw new Error('as asked')
      list.push(word)
    },
  }
  const settings = { jobs: [remember], services: done, pool, log, metrics }
  const promise = (word: string, options = {}) =>
    db.transaction().execute((tx) => enqueue(tx, clock, remember, { word }, options))
  return { world, db, clock, pool, done, remember, settings, promise }
}

test('a job is promised with its transaction or not at all', async (t) => {
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

test('a payload that breaks its schema is refused when promised', async (t) => {
  const { db, clock, remember } = await workshop(t)
  await rejects(db.transaction().execute((tx) => enqueue(tx, clock, remember, { word: 1 as unknown as string })))
})

test('a job for later waits for the clock, also when the clock is moved', async (t) => {
  const { world, clock, settings, done, promise } = await workshop(t)
  await promise('later', { runAt: new Date(clock.now().getTime() + 3_600_000) })
  await runDueJobs(settings)
  deepEqual(done, [])
  await world.advance(3_599)
  await promise('even later', { runAt: new Date(clock.now().getTime() + 3_600_000) })
  await runDueJobs(settings)
  deepEqual(done, [])
  await world.advance(2)
  await runDueJobs(settings)
  deepEqual(done, ['later'])
  await world.advance(3_600)
  await runDueJobs(settings)
  deepEqual(done, ['later', 'even later'])
})

test('many requests for one thing are one job', async (t) => {
  const { settings, done, promise } = await workshop(t)
  for (let count = 0; count < 5; count += 1) await promise(`v${count}`, { key: 'thing' })
  await runDueJobs(settings)
  deepEqual(done, ['v4'])
})

test('a failing job is tried again, then kept as dead and counted', async (t) => {
  const { world, pool, settings, promise } = await workshop(t)
  await promise('fail')
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await runDueJobs(settings)
    await world.advance(3_600)
  }
  equal(await countDeadJobs(pool), 1)
  const { rows } = await pool.query('SELECT attempts, max_attempts, last_error FROM graphile_worker.jobs')
  equal(rows[0].attempts, 3)
  ok(rows[0].last_error.includes('as asked'))
  await pool.query('SELECT graphile_worker.complete_jobs(ARRAY(SELECT id FROM graphile_worker.jobs))')
})

test('a running worker wakes for new jobs and hands back what it cannot finish', async (t) => {
  const { settings, done, promise } = await workshop(t)
  const worker = await startWorker(settings)
  ok(worker.isRunning())
  await promise('now')
  for (let tries = 0; done.length === 0 && tries < 200; tries += 1) await wait(25)
  deepEqual(done, ['now'])
  await worker.stop()
  equal(worker.isRunning(), false)
  await promise('after')
  await wait(50)
  deepEqual(done, ['now'])
  await runDueJobs(settings)
})

test('the jobs of a killed process are taken over', async (t) => {
  const { pool, settings, done, promise, world } = await workshop(t)
  await promise('taken over')
  const url = world.services.pool.options.connectionString!
  const child = fork(fileURLToPath(new URL('./stuck-worker.fixture.js', import.meta.url)), [url], { stdio: 'ignore' })
  await once(child, 'message')
  child.kill('SIGKILL')
  await once(child, 'exit')
  const worker = await startWorker(settings)
  for (let tries = 0; done.length === 0 && tries < 800; tries += 1) await wait(25)
  deepEqual(done, ['taken over'])
  await worker.stop()
  equal((await pool.query('SELECT FROM job_workers')).rowCount, 0)
})

test('a job locked by a worker that never registered is given back after a while', async (t) => {
  const { pool, settings, done, promise } = await workshop(t)
  await promise('forgotten')
  const lock = (secondsAgo: number) =>
    pool.query(
      `UPDATE graphile_worker._private_jobs SET locked_by = 'ghost', locked_at = now() - make_interval(secs => $1)`,
      [secondsAgo],
    )
  await lock(5)
  equal(await releaseDeadWorkers(pool), 0)
  await lock(31)
  equal(await releaseDeadWorkers(pool), 1)
  await pool.query(`UPDATE graphile_worker._private_job_queues SET locked_by = NULL, locked_at = NULL`)
  await runDueJobs(settings)
  deepEqual(done, ['forgotten'])
})
