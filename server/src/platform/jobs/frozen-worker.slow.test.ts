import { deepEqual, equal } from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { until } from '../../test/until.ts'
import { createWorld } from '../../test/world.ts'
import { enqueue, type Job } from './job.ts'
import { startWorker } from './worker.ts'

const payload = z.object({ word: z.string() })

test('the job of a frozen worker moves within 30 seconds, and the worker cannot finish it when it wakes', async (t) => {
  const { services, databaseUrl: url } = await createWorld(t)
  const { db, clock, pool, log, metrics } = services
  const words: string[] = []
  let release: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const remember: Job<string[], typeof payload> = {
    name: 'remember',
    payload,
    attempts: 3,
    async run(list, { word }) {
      list.push(word)
      await held
    },
  }
  await db.transaction().execute((tx) => enqueue(tx, clock, remember, { word: 'taken over' }))
  const frozen = fork(fileURLToPath(new URL('./stuck-worker.fixture.js', import.meta.url)), [url], { stdio: 'ignore' })
  t.after(() => frozen.kill('SIGKILL'))
  await once(frozen, 'message')
  const worker = await startWorker({ jobs: [remember], services: words, pool, clock, log, metrics }, url)
  frozen.kill('SIGSTOP')
  await until('the job has moved', () => words.length === 1, { withinMs: 30_000 })

  const claimed = async () => (await pool.query('SELECT claimed_by, attempts FROM jobs')).rows
  const before = await claimed()
  equal(before[0].attempts, 2)
  frozen.kill('SIGCONT')
  frozen.send('finish')
  // It is back, with its lock, and has tried to finish the job.
  const lives = `SELECT FROM pg_stat_activity WHERE application_name = 'pennypost worker' AND datname = current_database()
    AND query LIKE '%jobs%'`
  await until('the frozen worker is back', async () => (await pool.query(lives)).rowCount === 2)
  deepEqual(await claimed(), before)
  release()
  await until('the job is done', async () => (await claimed()).length === 0)
  deepEqual(words, ['taken over'])
  await worker.stop(1_000)
})
