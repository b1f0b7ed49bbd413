import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { shares } from '../platform/jobs/job.ts'
import { jobPlaces } from '../platform/jobs/job-places.ts'
import { startWorker } from '../platform/jobs/worker.ts'
import { jobs } from '../rooms.ts'
import { until } from './until.ts'
import { openWorld } from './world.ts'

const { all: places } = jobPlaces()
const shared = Object.values(shares).reduce((sum, most) => sum + most, 0)

test('a job has a share of the places, recurs, or is about money; shares leave places for money', () => {
  const withoutShare = jobs.filter(({ share, every }) => !share && !every).map(({ name }) => name)
  deepEqual(withoutShare.sort(), ['close-order', 'move-nano-address', 'notify-of-money', 'settle-x402-payment'])
  ok(shared <= places - 2)
})

test('a payout does not wait, though every job that anyone can cause hangs', async (t) => {
  const { services, databaseUrl } = await openWorld(t, { isolation: 'unmoved' })
  const { pool, clock } = services
  const running: string[] = []
  let paidOut = false
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const doubles = jobs.map((job) => ({
    ...job,
    payload: z.unknown(),
    async run() {
      if (job.name === 'move-nano-address') paidOut = true
      if (!job.share) return
      running.push(job.name)
      await released
    },
  }))
  const now = clock.now()
  const add = (name: string, count: number) =>
    pool.query(
      `INSERT INTO jobs (name, payload, run_at, max_attempts) SELECT $1, '{}', $2, 1 FROM generate_series(1, $3::int)`,
      [name, now, count],
    )
  for (const { name } of jobs.filter(({ share }) => share)) await add(name, places)
  const worker = await startWorker({ ...services, services, jobs: doubles }, databaseUrl)
  await until('the shares are full', () => running.length === shared)
  await add('move-nano-address', 1)
  await until('the payout was made', () => paidOut)
  equal(running.length, shared)
  release()
  await pool.query('TRUNCATE jobs')
  await worker.stop(5_000)
})
