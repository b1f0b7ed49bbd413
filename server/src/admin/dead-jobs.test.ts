import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { listAuditEntries } from '@pennypost/contract/audit-log'
import { dismissDeadJob, listDeadJobs, retryDeadJob } from '@pennypost/contract/dead-jobs'
import { administrator } from '../discussion/discussion.fixture.ts'
import { sharedWorld, type World } from '../test/world.ts'

/** Creates a job that used up its attempts this many minutes ago. */
async function dies(world: World, minutesAgo: number, name = 'delete-expired'): Promise<string> {
  const deadAt = new Date(world.services.clock.now().getTime() - minutesAgo * 60_000)
  const { rows } = await world.services.pool.query(
    `INSERT INTO jobs (name, payload, run_at, attempts, max_attempts, last_error, dead_at)
     VALUES ($1, '{}', $2, 5, 5, 'the disk is full', $2) RETURNING id`,
    [name, deadAt],
  )
  return rows[0].id
}

test('administrators can list dead jobs in pages, oldest first', async (t) => {
  const world = await sharedWorld(t)
  const admin = await administrator(world)
  deepEqual((await admin.owner.calls(listDeadJobs, {})).body.jobs, [])
  const ids = [await dies(world, 3), await dies(world, 5), await dies(world, 4)]
  const { jobs, pagination } = (await admin.owner.calls(listDeadJobs, { query: { limit: '2' } })).body
  deepEqual(
    jobs.map(({ id }: { id: string }) => id),
    [ids[1], ids[2]],
  )
  deepEqual(
    [jobs[0].name, jobs[0].payload, jobs[0].attempts, jobs[0].lastError],
    ['delete-expired', {}, 5, 'the disk is full'],
  )
  const rest = await admin.owner.calls(listDeadJobs, { query: { limit: '2', cursor: pagination.nextCursor } })
  deepEqual([rest.body.jobs.length, rest.body.jobs[0].id, rest.body.pagination.nextCursor], [1, ids[0], null])
  equal((await admin.owner.calls(listDeadJobs, { query: { cursor: 'x' } })).status, 400)
  const reader = await world.reader()
  equal((await reader.owner.calls(listDeadJobs, {})).status, 403)
  for (const act of [retryDeadJob, dismissDeadJob])
    equal((await reader.owner.calls(act, { params: { jobId: ids[0]! } })).status, 403)
})

test('a dead job is retried or dismissed, once, and the audit log says by whom', async (t) => {
  const world = await sharedWorld(t)
  const admin = await administrator(world)
  const [again, gone] = [await dies(world, 2), await dies(world, 1, 'no-such-job')]
  equal((await admin.owner.calls(retryDeadJob, { params: { jobId: again } })).status, 200)
  await world.runJobs()
  const { rows } = await world.services.pool.query('SELECT id FROM jobs WHERE id = $1', [again])
  deepEqual(rows, [], 'it ran, and is done')
  equal((await admin.owner.calls(dismissDeadJob, { params: { jobId: gone } })).status, 200)
  for (const act of [retryDeadJob, dismissDeadJob]) {
    const late = await admin.owner.calls(act, { params: { jobId: gone } })
    deepEqual([late.status, late.body.code], [404, 'dead-job-not-found'])
  }
  const { entries } = (await admin.owner.calls(listAuditEntries, {})).body
  deepEqual(
    entries.map((entry: Record<string, unknown>) => [entry.act, entry.targetKind, entry.targetId]),
    [
      ['job.dismiss', 'job', gone],
      ['job.retry', 'job', again],
    ],
  )
  deepEqual(entries[0].details, { name: 'no-such-job', payload: '{}', lastError: 'the disk is full' })
})
