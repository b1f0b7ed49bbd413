import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { emptiedWorld, type World } from '../test/world.ts'
import { countJobs, dropDeadJobs, listDeadJobs, retryDeadJobs } from './jobs.ts'
import { createRedact } from './redact.ts'

const redact = createRedact({ SMTP_URL: 'smtps://user:hunter22@mail.example' })

/** Adds jobs that died. */
async function die(world: World, name: string, count: number, error = 'the disk is full'): Promise<void> {
  await world.services.pool.query(
    `INSERT INTO jobs (name, payload, run_at, attempts, max_attempts, last_error, dead_at)
     SELECT $1, jsonb_build_object('n', n), $2, 5, 5, $3, $2 FROM generate_series(1, $4) n`,
    [name, world.services.clock.now(), error, count],
  )
}

const acts = async (world: World) => {
  const { rows } = await world.services.pool.query(
    'SELECT act, actor_id, count(*)::int AS count FROM audit_log GROUP BY 1, 2 ORDER BY 1',
  )
  return rows.map(({ act, actor_id, count }) => [act, actor_id, count])
}

test('jobs are counted by kind and state, and dead ones listed with their errors but without secrets', async (t) => {
  const world = await emptiedWorld(t)
  const now = world.services.clock.now()
  await die(
    world,
    'delete-expired',
    3,
    'smtps://user:hunter22@mail.example said: hunter22 is wrong, Bearer abcdefghijkl',
  )
  await world.services.pool.query(
    `INSERT INTO jobs (name, payload, run_at, max_attempts, claimed_by) VALUES
       ('delete-expired', '{}', $1, 5, NULL), ('delete-expired', '{}', $2, 5, NULL), ('screen-upload', '{}', $1, 5, 7)`,
    [new Date(now.getTime() - 60_000), new Date(now.getTime() + 3_600_000)],
  )
  t.after(() => world.services.pool.query('DELETE FROM jobs'))
  deepEqual(
    (await countJobs(world.services)).map(({ kind, state, count }) => [kind, state, count]),
    [
      ['delete-expired', 'dead', 3],
      ['delete-expired', 'due', 1],
      ['delete-expired', 'later', 1],
      ['screen-upload', 'running', 1],
    ],
  )
  const [first, ...others] = await listDeadJobs(world.services, redact, { limit: 2 })
  equal(others.length, 1)
  match(first!.error, /^smtps:\/\/\[removed\]@mail\.example said: \[removed\] is wrong, Bearer \[removed\]$/)
  deepEqual(await listDeadJobs(world.services, redact, { kind: 'screen-upload', limit: 5 }), [])
  await world.services.pool.query('DELETE FROM jobs')
})

test('dead jobs of one kind are retried or dropped, all of them, and each is in the audit log', async (t) => {
  const world = await emptiedWorld(t)
  await die(world, 'delete-expired', 1_200)
  await die(world, 'screen-upload', 2)
  equal(await retryDeadJobs(world.services, { kind: 'delete-expired' }), 1_200)
  deepEqual(
    (await countJobs(world.services)).map(({ kind, state, count }) => [kind, state, count]),
    [
      ['delete-expired', 'due', 1_200],
      ['screen-upload', 'dead', 2],
    ],
  )
  equal(await dropDeadJobs(world.services, { kind: 'screen-upload' }), 2)
  deepEqual(await acts(world), [
    ['job.dismiss', null, 2],
    ['job.retry', null, 1_200],
  ])
  await world.services.pool.query('DELETE FROM jobs')
  for (const act of [retryDeadJobs, dropDeadJobs]) {
    await rejects(act(world.services, { kind: 'delete-expired' }), /There is no dead job of the kind/)
    for (const id of ['1', 'x', '99999999999999999999', ''])
      await rejects(act(world.services, { id }), /No dead job has the id/)
  }
})

test('of two that retry or drop the same job, one does it', async (t) => {
  const world = await emptiedWorld(t)
  await die(world, 'delete-expired', 1)
  const [{ id } = { id: '' }] = await listDeadJobs(world.services, redact, { limit: 1 })
  const both = await Promise.allSettled([
    retryDeadJobs(world.services, { id }),
    dropDeadJobs(world.services, { id }),
    retryDeadJobs(world.services, { id }),
  ])
  deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected'])
  equal((await acts(world)).length, 1)
  await world.services.pool.query('DELETE FROM jobs')
})
