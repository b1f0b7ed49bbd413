import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createWebhook, testWebhook } from '@pennypost/contract/webhooks'
import { sql } from 'kysely'
import type { Reader } from '../test/people.ts'
import { until } from '../test/until.ts'
import { createWorld, type World } from '../test/world.ts'
import { announce } from './announce.ts'

/** Does something while the only webhook of a person is being deleted, and is not deleted yet. */
async function duringDeletion<Result>(world: World, person: Reader, act: (id: string) => Promise<Result>) {
  const body = { url: 'http://localhost:9/hook', events: ['sale.created' as const] }
  const { id } = (await person.owner.calls(createWebhook, { body })).body.webhook
  const { db } = world.services
  const isWaiting = async () => {
    const { rows } = await sql`SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database OR database IS NULL
      WHERE NOT granted AND datname = current_database()`.execute(db)
    return rows.length > 0
  }
  let acting: Promise<Result> | undefined
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('webhooks').where('id', '=', id).execute()
    acting = act(id)
    acting.catch(() => {})
    await until('it waits for the deletion', isWaiting)
  })
  return acting!
}

test('a webhook that is being deleted can no longer be tested', async (t) => {
  const world = await createWorld(t)
  const person = await world.reader()
  const { status } = await duringDeletion(world, person, (webhookId) =>
    person.owner.calls(testWebhook, { params: { webhookId } }),
  )
  equal(status, 404)
})

test('what happens while a webhook is being deleted does not fail', async (t) => {
  const world = await createWorld(t)
  const person = await world.reader()
  const { accountId } = person
  const event = { accountId, type: 'sale.created', origin: `sale:${randomUUID()}`, data: {} } as const
  await duringDeletion(world, person, () =>
    world.services.db.transaction().execute((tx) => announce(tx, world.services, event)),
  )
  deepEqual(await world.services.db.selectFrom('webhook_deliveries').select('id').execute(), [])
})
