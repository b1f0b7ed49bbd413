import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { systemClock } from '../../server/dist/platform/clock.js'
import { openDatabase } from '../../server/dist/platform/database/database.js'
import { migrate } from '../../server/dist/platform/database/migrate.js'
import { enqueue } from '../../server/dist/platform/jobs/job.js'
import { startWorker } from '../../server/dist/platform/jobs/worker.js'
import { createLog } from '../../server/dist/platform/log.js'
import { createMetrics } from '../../server/dist/platform/metrics.js'
import { median } from '../median.mjs'
import { databaseNamed, withClient } from '../postgres.mjs'

// For a quick run: `BENCH_JOBS=10000 npm run bench -- jobs`.
const waiting = Number(process.env.BENCH_JOBS ?? 1_000_000)
const payouts = 100
const emailMs = 20
const maxSlowdown = 1.5
const maxExtraMs = 5
const migrations = fileURLToPath(new URL('../../server/src/migrations', import.meta.url))

export default {
  name: 'jobs',
  title: 'Job queue',
  async trials({ databaseUrl }) {
    const name = 'bench_jobs'
    await withClient(databaseUrl, async (client) => {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await client.query(`CREATE DATABASE ${name}`)
    })
    const url = databaseNamed(databaseUrl, name)
    const log = createLog('silent')
    await migrate(url, migrations, log)
    const { db, pool, close } = openDatabase(url, log)
    try {
      const clock = systemClock()
      const queue = { db, pool, clock, log, url }
      const alone = await measurePayouts(queue)
      await addEmails(url)
      const crowded = await measurePayouts(queue)
      return [
        {
          label: `a payout starts after it was added, ${waiting} low-priority jobs waiting (reference: none), p50`,
          ours: `${crowded.p50.toFixed(1)} ms`,
          reference: `${alone.p50.toFixed(1)} ms`,
          goal: `at most ${maxSlowdown} times, or ${maxExtraMs} ms more`,
          isMet: isNear(crowded.p50, alone.p50),
        },
        {
          label: `the same, p95`,
          ours: `${crowded.p95.toFixed(1)} ms`,
          reference: `${alone.p95.toFixed(1)} ms`,
        },
        {
          label: `low-priority jobs of ${emailMs} ms done meanwhile, per second`,
          ours: crowded.emailsPerSecond.toFixed(0),
        },
      ]
    } finally {
      await close()
      await withClient(databaseUrl, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`))
    }
  },
}

const isNear = (ours, reference) => ours <= reference * maxSlowdown || ours <= reference + maxExtraMs

/** Adds payouts one after another while a worker runs, and measures how soon each starts. */
async function measurePayouts({ db, pool, clock, log, url }) {
  let started = () => {}
  let emails = 0
  const payout = {
    name: 'payout',
    payload: z.object({ n: z.number() }),
    queue: ({ n }) => `payout:${n}`,
    attempts: 3,
    concurrency: 4,
    run: async () => started(),
  }
  const email = {
    name: 'email',
    payload: z.object({}),
    attempts: 3,
    lowPriority: true,
    async run() {
      await wait(emailMs)
      emails += 1
    },
  }
  const worker = await startWorker(
    { jobs: [payout, email], services: undefined, pool, clock, log, metrics: createMetrics() },
    url,
  )
  const times = []
  await wait(1_000)
  const [before, since] = [emails, performance.now()]
  for (let n = 0; n < payouts; n += 1) {
    const start = new Promise((resolve) => {
      started = resolve
    })
    const addedAt = performance.now()
    await db.transaction().execute((tx) => enqueue(tx, clock, payout, { n }))
    await start
    times.push(performance.now() - addedAt)
    await wait(20)
  }
  const emailsPerSecond = ((emails - before) / (performance.now() - since)) * 1000
  await worker.stop(5_000)
  times.sort((a, b) => a - b)
  return { p50: median(times), p95: times[Math.floor(times.length * 0.95)], emailsPerSecond }
}

const addEmails = (url) =>
  withClient(url, (client) =>
    client.query(
      `INSERT INTO jobs (name, payload, run_at, max_attempts, low_priority)
       SELECT 'email', '{}', now() - interval '1 minute', 3, true FROM generate_series(1, $1::int)`,
      [waiting],
    ),
  )
