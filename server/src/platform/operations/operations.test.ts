import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { moveClock, readCapturedMail, readClock } from '@pennypost/contract/development-tools'
import { getDocs, getHealth, getMetrics, getProblem, getReadiness } from '@pennypost/contract/platform-operations'
import { getHandleAvailability } from '@pennypost/contract/profiles'
import { Person } from '../../test/person.ts'
import { createWorld } from '../../test/world.ts'

test('health and readiness are 200', async (t) => {
  const someone = (await createWorld(t)).stranger()
  deepEqual((await someone.calls(getHealth, {})).body, { status: 'ok' })
  deepEqual((await someone.calls(getReadiness, {})).body, { status: 'ready', missing: [], degraded: [], details: {} })
})

test('readiness names missing and degraded dependencies', async (t) => {
  const world = await createWorld(t, {
    services: {
      readiness: async () => ({
        dependencies: [],
        missing: ['database'],
        degraded: ['mail'],
        details: { mail: 'it is full' },
      }),
    },
  })
  const reply = await world.stranger().calls(getReadiness, {})
  equal(reply.status, 503)
  deepEqual(reply.body, {
    status: 'not-ready',
    missing: ['database'],
    degraded: ['mail'],
    details: { mail: 'it is full' },
  })
})

test('metrics count requests by operation and status', async (t) => {
  const someone = new Person(await createWorld(t), '127.0.0.1')
  await someone.calls(getHandleAvailability, { query: { handle: 'ada_lovelace' } })
  const { body, headers } = await someone.calls(getMetrics, {})
  match(headers.get('content-type')!, /^text\/plain; version=0\.0\.4/)
  const text = new TextDecoder().decode(body)
  match(text, /pennypost_http_request_seconds_count\{operation="getHandleAvailability",status="200"\} 1/)
  match(text, /pennypost_jobs_dead 0/)
})

test('without a token, metrics are for this machine only, and not through a proxy', async (t) => {
  const world = await createWorld(t)
  const refused = await world.stranger().calls(getMetrics, {})
  deepEqual([refused.status, refused.body.code], [403, 'metrics-forbidden'])
  for (const [remoteAddress, forwarded, status] of [
    ['127.0.0.1', undefined, 200],
    ['::1', undefined, 200],
    ['::ffff:127.0.0.1', undefined, 200],
    ['127.0.0.1', '192.0.2.1', 403],
    ['127.0.0.1', '127.0.0.1', 403],
    ['192.0.2.1', '127.0.0.1', 403],
  ] as const) {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    const { statusCode } = await world.server.inject({ url: '/metrics', remoteAddress, headers })
    equal(statusCode, status, `${remoteAddress} ${forwarded}`)
  }
})

test('with a token, metrics need it, from everywhere', async (t) => {
  const world = await createWorld(t, { settings: { METRICS_TOKEN: 'a-token-for-prometheus' } })
  const statusOf = async (authorization?: string) =>
    (await world.server.inject({ url: '/metrics', headers: authorization === undefined ? {} : { authorization } }))
      .statusCode
  equal(await statusOf('Bearer a-token-for-prometheus'), 200)
  for (const wrong of [undefined, '', 'Bearer ', 'Bearer a-token-for-prometheu', 'a-token-for-prometheus'])
    equal(await statusOf(wrong), 401, wrong)
})

test('a taken handle is not available, whatever its case; reserved ones never are', async (t) => {
  const world = await createWorld(t)
  const someone = world.stranger()
  await world.creator({ handle: 'Ada_L' })
  const available = async (handle: string) =>
    (await someone.calls(getHandleAvailability, { query: { handle } })).body.available
  equal(await available('Grace_H'), true)
  for (const handle of ['Ada_L', 'ada_l', 'ADA_L', 'admin', 'Pennypost', 'user_abc123', 'USER_x', 'undefined'])
    equal(await available(handle), false, handle)
})

test('an invalid handle is a bad query', async (t) => {
  const someone = (await createWorld(t)).stranger()
  for (const handle of ['abc', 'a'.repeat(31), 'has space', '@ada_l', 'ädaa', 'a-b-c']) {
    const { status, body } = await someone.calls(getHandleAvailability, { query: { handle } })
    equal(status, 400, handle)
    equal(body.data.code, 'invalid_request')
    equal(body.errors[0].field, 'handle')
  }
  equal((await someone.sends(getHandleAvailability, {})).status, 400)
})

test('pages are served, and an unknown problem is 404', async (t) => {
  const someone = (await createWorld(t)).stranger()
  for (const reply of [
    await someone.calls(getDocs, {}),
    await someone.calls(getProblem, { params: { code: 'validation' } }),
  ]) {
    equal(reply.status, 200)
    match(reply.headers.get('content-type')!, /^text\/html/)
    match(reply.headers.get('content-security-policy')!, /default-src 'none'/)
  }
  const unknown = await someone.calls(getProblem, { params: { code: 'no-such-code' } })
  equal(unknown.status, 404)
  match(unknown.headers.get('content-type')!, /^text\/html/)
})

test('the development clock only moves forward', async (t) => {
  const someone = (await createWorld(t)).stranger()
  const before = Date.parse((await someone.calls(readClock, {})).body.now)
  const moved = Date.parse((await someone.calls(moveClock, { body: { advanceSeconds: 3600 } })).body.now)
  ok(moved - before >= 3_600_000 && moved - before < 3_660_000)
  ok(Date.parse((await someone.calls(readClock, {})).body.now) >= moved)
  equal((await someone.calls(moveClock, { body: { advanceSeconds: -1 } })).status, 422)
})

test('captured email is shown newest first, with its code, as JSON and as a page', async (t) => {
  const world = await createWorld(t)
  const someone = world.stranger()
  const mail = { to: 'Ada@example.com', html: '<p>x</p>', messageId: 'm' }
  await world.services.mailer.send({ ...mail, subject: 'First', text: 'no code' })
  await world.services.mailer.send({ ...mail, subject: 'Second', text: 'Ada 999999,\n\n012345\n' })
  await world.services.mailer.send({ ...mail, to: 'b@example.com', subject: 'Other', text: 'x' })
  const { body } = await someone.calls(readCapturedMail, { query: { to: 'ada@EXAMPLE.com' } })
  deepEqual(
    body.messages.map(({ subject, code }: { subject: string; code: string | null }) => [subject, code]),
    [
      ['Second', '012345'],
      ['First', null],
    ],
  )
  const page = await someone.calls(readCapturedMail, { headers: { accept: 'text/html' } })
  match(page.headers.get('content-type')!, /^text\/html/)
  match(new TextDecoder().decode(page.body), /012345/)
})
