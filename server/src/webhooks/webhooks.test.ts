import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  createWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  listWebhooks,
  maxWebhooks,
  redeliverWebhook,
  replaceWebhookSecret,
  testWebhook,
  updateWebhook,
} from '@pennypost/contract/webhooks'
import { signsIn } from '../payments/market.fixture.ts'
import type { Reader } from '../test/people.ts'
import { createWorld, sharedWorld, type World } from '../test/world.ts'
import { announce } from './announce.ts'
import { maxWaiting } from './delivery-store.ts'
import { receiver } from './receiver.fixture.ts'

async function creates(person: Reader, url: string, events: ('sale.created' | 'comment.created')[] = ['sale.created']) {
  const { status, body } = await person.owner.calls(createWebhook, { body: { url, events } })
  equal(status, 201, JSON.stringify(body))
  return { id: body.webhook.id, secret: body.secret, params: { webhookId: body.webhook.id } }
}

const happens = (world: World, person: Reader, origin: string = randomUUID()) =>
  world.services.db.transaction().execute((tx) =>
    announce(tx, world.services, {
      accountId: person.accountId,
      type: 'sale.created',
      origin: `sale:${origin}`,
      data: { id: origin },
    }),
  )

const deliveriesOf = async (person: Reader, webhookId: string) =>
  (await person.owner.calls(listWebhookDeliveries, { params: { webhookId }, query: {} })).body.deliveries

test('a webhook is called once for an event that it wants, with a signed body and the secret that was shown', async (t) => {
  const world = await sharedWorld(t)
  const [ada, grace] = [await world.reader(), await world.reader()]
  const program = await receiver(t)
  const hook = await creates(ada, program.url)
  await creates(ada, `${program.url}/comments`, ['comment.created'])
  await creates(grace, `${program.url}/grace`)
  match(hook.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  for (const _ of [1, 2]) await happens(world, ada, 'one')
  await world.runJobs()
  equal(program.calls.length, 1)
  const [call] = program.calls
  deepEqual([call!.path, call!.body.type, call!.body.data], ['/hook', 'sale.created', { id: 'one' }])
  ok(call!.isSignedWith(hook.secret))
  equal(call!.isSignedWith(`whsec_${Buffer.alloc(32).toString('base64')}`), false)
  const [delivery, ...others] = await deliveriesOf(ada, hook.id)
  deepEqual(others, [])
  deepEqual(
    { ...delivery!, createdAt: '', lastAttemptAt: '' },
    {
      id: call!.id,
      type: 'sale.created',
      status: 'delivered',
      attempts: 1,
      responseStatus: 200,
      error: null,
      createdAt: '',
      lastAttemptAt: '',
      nextAttemptAt: null,
    },
  )
})

test('what fails is tried again later with the same id and bytes, then given up; an owner sends it again', async (t) => {
  const world = await createWorld(t)
  const ada = await world.reader()
  const program = await receiver(t)
  const hook = await creates(ada, program.url)
  program.nextStatuses.push(500, 302, 0)
  await happens(world, ada)
  await world.runJobs()
  const [failed] = await deliveriesOf(ada, hook.id)
  deepEqual([failed!.status, failed!.responseStatus, failed!.error], ['waiting', 500, 'The reply had the status 500.'])
  equal(Date.parse(failed!.nextAttemptAt!) - Date.parse(failed!.lastAttemptAt!), 60_000)
  await world.advance(61)
  await world.runJobs()
  await world.advance(400)
  await world.runJobs()
  deepEqual((await deliveriesOf(ada, hook.id))[0]!.error, 'The connection failed.')
  await world.advance(3600)
  await signsIn(world, ada)
  await world.runJobs()
  equal(program.calls.length, 4)
  equal(new Set(program.calls.map(({ id, text }) => `${id} ${text}`)).size, 1)
  ok(program.calls.every((call) => call.isSignedWith(hook.secret)))
  const [delivered] = await deliveriesOf(ada, hook.id)
  deepEqual([delivered!.status, delivered!.attempts], ['delivered', 4])

  const params = { webhookId: hook.id, deliveryId: delivered!.id }
  const again = await ada.owner.calls(redeliverWebhook, { params })
  deepEqual([again.status, again.body.deliveryId], [202, delivered!.id])
  await world.runJobs()
  equal(program.calls.length, 5)
  equal(program.calls[4]!.text, program.calls[0]!.text)
})

test('after three days of failures a webhook is disabled and its owner notified; enabling it starts over', async (t) => {
  const world = await createWorld(t)
  const ada = await world.reader()
  const program = await receiver(t)
  const hook = await creates(ada, program.url)
  program.nextStatuses.push(...Array.from({ length: 40 }, () => 503))
  await happens(world, ada)
  for (let hours = 0; hours < 80; hours += 1) {
    await world.advance(3600)
    await world.runJobs()
  }
  const { rows } = await world.services.pool.query(
    'SELECT disabled_reason, failing_since FROM webhooks WHERE id = $1',
    [hook.id],
  )
  equal(rows[0].disabled_reason, 'failing')
  equal(program.calls.length, 10)
  const told = await world.services.pool.query(`SELECT title FROM notifications WHERE account_id = $1`, [ada.accountId])
  match(told.rows[0].title, /^Your webhook to 127\.0\.0\.1:\d+ was disabled$/)
  await happens(world, ada)
  await world.runJobs()
  equal(program.calls.length, 10)
  await signsIn(world, ada)
  await ada.owner.calls(updateWebhook, { params: hook.params, body: { status: 'enabled' } })
  program.nextStatuses.length = 0
  await happens(world, ada)
  await world.runJobs()
  equal(program.calls.length, 11)
})

test('a server that is dead for three days is disabled, however many events wait for it', async (t) => {
  const world = await createWorld(t)
  const ada = await world.reader()
  const program = await receiver(t)
  const hook = await creates(ada, program.url)
  program.nextStatuses.push(503, 503)
  for (const _ of [1, 2, 3]) await happens(world, ada)
  await world.runJobs()
  const [listed] = (await ada.owner.calls(listWebhooks, {})).body.webhooks
  deepEqual([listed!.status, listed!.failingSince === null], ['enabled', false])
  await world.services.pool.query(`UPDATE webhooks SET failing_since = failing_since - interval '3 days'`)
  await world.advance(3600)
  await world.runJobs()
  const { rows } = await world.services.pool.query('SELECT disabled_reason FROM webhooks WHERE id = $1', [hook.id])
  equal(rows[0].disabled_reason, 'failing')
  await world.advance(3600)
  await world.runJobs()
  equal(program.calls.length, 2)
  await signsIn(world, ada)
  for (const { status } of await deliveriesOf(ada, hook.id)) equal(status, 'failed')
})

test('a host that became private since is not called', async (t) => {
  // Of its own: the next attempt, in five seconds, would be left over by a later test.
  const world = await createWorld(t)
  const ada = await world.reader()
  const hook = await creates(ada, 'http://localhost:1/')
  await world.services.pool.query(`UPDATE webhooks SET url = 'https://10.0.0.1/' WHERE id = $1`, [hook.id])
  await happens(world, ada)
  await world.runJobs()
  const [delivery] = await deliveriesOf(ada, hook.id)
  deepEqual([delivery!.status, delivery!.responseStatus], ['waiting', null])
  equal(delivery!.error, 'The host is not on the public internet.')
})

test('410 disables a webhook at once; while it is disabled nothing is sent, tested or sent again', async (t) => {
  const world = await sharedWorld(t)
  const ada = await world.reader()
  const program = await receiver(t)
  const hook = await creates(ada, program.url)
  program.nextStatuses.push(410)
  await happens(world, ada)
  await world.runJobs()
  const [listed] = (await ada.owner.calls(listWebhooks, {})).body.webhooks
  deepEqual([listed!.status, listed!.disabledReason], ['disabled', 'gone'])
  await happens(world, ada)
  const { id: deliveryId } = (await deliveriesOf(ada, hook.id))[0]!
  const refusals = [
    await ada.owner.calls(testWebhook, { params: hook.params }),
    await ada.owner.calls(redeliverWebhook, { params: { ...hook.params, deliveryId } }),
  ]
  for (const { status, body } of refusals) deepEqual([status, body.code], [409, 'webhook-disabled'])
  await world.runJobs()
  equal(program.calls.length, 1)
  const enabled = await ada.owner.calls(updateWebhook, { params: hook.params, body: { status: 'enabled' } })
  deepEqual([enabled.status, enabled.body.status, enabled.body.disabledReason], [200, 'enabled', null])
  equal((await ada.owner.calls(testWebhook, { params: hook.params })).status, 202)
  await world.runJobs()
  deepEqual([program.calls[1]!.body.type, program.calls[1]!.body.data], ['webhook.test', { webhookId: hook.id }])
})

test('a webhook that fails is not called for a while, by any event; its owner can try immediately', async (t) => {
  const world = await createWorld(t)
  const ada = await world.reader()
  const program = await receiver(t)
  const hook = await creates(ada, program.url)
  program.nextStatuses.push(500)
  for (const _ of [1, 2, 3]) await happens(world, ada)
  const waiting = async () => {
    const { rows } = await world.services.pool.query(`SELECT id FROM jobs WHERE name = 'deliver-webhook' ORDER BY id`)
    return rows.map(({ id }) => id)
  }
  const [, ...others] = await waiting()
  await world.runJobs()
  equal(program.calls.length, 1)
  // The other two were postponed with the first. Nobody had to run them to find out.
  deepEqual((await waiting()).slice(0, 2), others)
  program.nextStatuses.push(500)
  await ada.owner.calls(testWebhook, { params: hook.params })
  await world.runJobs()
  equal(program.calls.length, 2)
  await world.advance(61)
  await world.runJobs()
  const log = await deliveriesOf(ada, hook.id)
  const statuses = log.map((delivery: { status: string }) => delivery.status)
  deepEqual(statuses, ['delivered', 'delivered', 'delivered', 'delivered'])
})

test('a slow server gets a tenth of the time at most, so that it does not keep others waiting', async (t) => {
  const world = await createWorld(t)
  const ada = await world.reader()
  const program = await receiver(t)
  const hook = await creates(ada, program.url)
  program.delaysMs.push(1_100)
  for (const _ of [1, 2, 3]) await happens(world, ada)
  await world.runJobs()
  equal(program.calls.length, 1)
  // What happens meanwhile has to wait too. Its owner need not.
  await happens(world, ada)
  await world.runJobs()
  equal(program.calls.length, 1)
  await world.advance(9)
  await world.runJobs()
  equal(program.calls.length, 1)
  await ada.owner.calls(testWebhook, { params: hook.params })
  await world.runJobs()
  equal(program.calls.length, 2)
  await world.advance(60)
  await world.runJobs()
  equal(program.calls.length, 5)
  const log = await deliveriesOf(ada, hook.id)
  ok(log.every((delivery: { status: string }) => delivery.status === 'delivered'))
})

test('a new secret signs at once, and the old one for another day', async (t) => {
  const world = await createWorld(t)
  const ada = await world.reader()
  const program = await receiver(t)
  const hook = await creates(ada, program.url)
  const { body } = await ada.owner.calls(replaceWebhookSecret, { params: hook.params })
  notEqual(body.secret, hook.secret)
  await happens(world, ada)
  await world.runJobs()
  ok(program.calls[0]!.isSignedWith(body.secret) && program.calls[0]!.isSignedWith(hook.secret))
  await world.advance(24 * 3600 + 1)
  await happens(world, ada)
  await world.runJobs()
  ok(program.calls[1]!.isSignedWith(body.secret))
  equal(program.calls[1]!.isSignedWith(hook.secret), false)
})

test('an account has at most five webhooks, also if it asks for them at the same time', async (t) => {
  const world = await sharedWorld(t)
  const ada = await world.reader()
  const body = { url: 'https://192.0.2.1.example.invalid/', events: ['sale.created' as const] }
  const replies = await Promise.all(
    Array.from({ length: maxWebhooks + 3 }, () => ada.owner.calls(createWebhook, { body })),
  )
  equal(replies.filter(({ status }) => status === 201).length, maxWebhooks)
  for (const { body: refused } of replies.filter(({ status }) => status !== 201)) equal(refused.code, 'webhook-limit')
  equal((await ada.owner.calls(listWebhooks, {})).body.webhooks.length, maxWebhooks)
})

test('private addresses, plain HTTP and passwords in a URL are refused', async (t) => {
  const world = await sharedWorld(t)
  const ada = await world.reader()
  const tries = (url: string) => ada.owner.calls(createWebhook, { body: { url, events: ['sale.created'] } })
  for (const url of ['https://10.0.0.1/', 'https://169.254.169.254/', 'https://[fd00::1]/', 'https://0.0.0.0/']) {
    const { status, body } = await tries(url)
    deepEqual([status, body.code], [422, 'webhook-url-refused'], url)
  }
  const hook = await creates(ada, 'http://localhost:1/')
  const moved = await ada.owner.calls(updateWebhook, { params: hook.params, body: { url: 'https://192.168.1.1/' } })
  deepEqual([moved.status, moved.body.code], [422, 'webhook-url-refused'])
  for (const url of ['http://example.com/', 'https://user:word@example.com/', 'ftp://example.com/', 'nonsense', ''])
    deepEqual([(await tries(url)).status, (await tries(url)).body.code], [422, 'validation'], url)
})

test('in production nothing on this machine is called, and no low port', async (t) => {
  const world = await createWorld(t)
  const config = { ...world.services.config, environment: 'production' as const }
  const { requirePublicUrl } = await import('./require-public-url.ts')
  const refused = async (url: string) =>
    requirePublicUrl({ config }, url).then(
      () => false,
      (error: { refusal?: { code: string } }) => error.refusal?.code === 'webhook-url-refused',
    )
  for (const url of ['https://127.0.0.1/', 'http://localhost/', 'https://[::1]/', 'https://example.com:22/'])
    equal(await refused(url), true, url)
})

test('nobody sees or changes the webhooks of others', async (t) => {
  const world = await sharedWorld(t)
  const [ada, grace] = [await world.reader(), await world.reader()]
  const program = await receiver(t)
  const hook = await creates(ada, program.url)
  await happens(world, ada)
  await world.runJobs()
  const { id: deliveryId } = (await deliveriesOf(ada, hook.id))[0]!
  const own = await creates(grace, program.url)
  const { params } = hook
  const tries = [
    grace.owner.calls(updateWebhook, { params, body: { status: 'disabled' } }),
    grace.owner.calls(deleteWebhook, { params }),
    grace.owner.calls(replaceWebhookSecret, { params }),
    grace.owner.calls(testWebhook, { params }),
    grace.owner.calls(listWebhookDeliveries, { params, query: {} }),
    grace.owner.calls(redeliverWebhook, { params: { ...params, deliveryId } }),
  ]
  for (const { status, body } of await Promise.all(tries)) deepEqual([status, body.code], [404, 'webhook-not-found'])
  const mixed = await grace.owner.calls(redeliverWebhook, { params: { webhookId: own.id, deliveryId } })
  deepEqual([mixed.status, mixed.body.code], [404, 'webhook-delivery-not-found'])
})

test('the log goes to its last row, newest first, and ends with its webhook', async (t) => {
  const world = await sharedWorld(t)
  const ada = await world.reader()
  const program = await receiver(t)
  const hook = await creates(ada, program.url)
  for (let index = 0; index < 5; index += 1) await happens(world, ada)
  await world.runJobs()
  const ids: string[] = []
  for (let cursor: string | undefined; ; ) {
    const query = { limit: '2', ...(cursor !== undefined && { cursor }) }
    const { body } = await ada.owner.sends(listWebhookDeliveries, { params: hook.params, query })
    ids.push(...body.deliveries.map(({ id }: { id: string }) => id))
    cursor = body.pagination.nextCursor ?? undefined
    if (!cursor) break
  }
  equal(new Set(ids).size, 5)
  const bad = await ada.owner.sends(listWebhookDeliveries, { params: hook.params, query: { cursor: 'x' } })
  deepEqual([bad.status, bad.body.code], [400, 'invalid-request'])
  equal((await ada.owner.calls(deleteWebhook, { params: hook.params })).status, 200)
  const left = await world.services.pool.query('SELECT FROM webhook_deliveries WHERE webhook_id = $1', [hook.id])
  equal(left.rowCount, 0)
})

test('what waits for one webhook is bounded; beyond that an event is only in the log', async (t) => {
  const world = await sharedWorld(t)
  const ada = await world.reader()
  const program = await receiver(t)
  const hook = await creates(ada, program.url)
  await world.services.pool.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, origin, type, body, state, attempts, created_at)
     SELECT gen_random_uuid(), $1, 'n:' || n, 'sale.created', '{}', 'waiting', 0, now() - interval '1 day' FROM generate_series(1, $2::int) n`,
    [hook.id, maxWaiting],
  )
  await happens(world, ada)
  await world.runJobs()
  equal(program.calls.length, 0)
  const [noted] = await deliveriesOf(ada, hook.id)
  deepEqual([noted!.status, noted!.attempts], ['failed', 0])
  match(noted!.error!, /1000 events waiting/)
})
