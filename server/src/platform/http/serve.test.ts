import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { forbiddenHeader } from '@pennypost/contract/forbidden-header'
import { z } from 'zod'
import { corsHeaders } from './cors.ts'
import type { Handlers } from './handler.ts'
import { createOrigins } from './origins.ts'
import { handlers, json, missing, opened, post, serveSpecimen, specimen, thing, written } from './specimen.fixture.ts'

test('a reply has the declared fields, a cache header and a request id', async (t) => {
  const { server } = await serveSpecimen(t)
  const reply = await json(server, { url: `/api/v1/things/${thing}?page=3` })
  equal(reply.status, 200)
  deepEqual(reply.body, { page: 3, note: null })
  equal(reply.headers['cache-control'], 'public, max-age=300, stale-while-revalidate=60')
  match(String(reply.headers['x-request-id']), /^[0-9a-f-]{36}$/)
})

test('bad queries are 400; malformed and unknown ids get the same reply', async (t) => {
  const { server } = await serveSpecimen(t)
  for (const query of ['page=0', 'page=10', 'page=1.5', 'page=-1', 'page=', 'page=1&page=2', 'page=%00', 'page=1e0']) {
    const reply = await json(server, { url: `/api/v1/things/${thing}?${query}` })
    equal(reply.status, 400, query)
    equal(reply.body.code, 'invalid-request')
    equal(reply.body.errors[0].field, 'page')
  }
  const unknown = await json(server, { url: `/api/v1/things/${missing}` })
  const malformed = await json(server, { url: '/api/v1/things/not-an-id' })
  equal(unknown.status, 404)
  deepEqual({ ...malformed.body, requestId: 0 }, { ...unknown.body, requestId: 0 })
})

test('a problem document has type, title, status, detail, code and request id', async (t) => {
  const { server } = await serveSpecimen(t)
  const reply = await json(server, post('/api/v1/things', '{"name":"busy"}', { host: 'second.test' }))
  equal(reply.status, 409)
  match(String(reply.headers['content-type']), /^application\/problem\+json/)
  const { requestId, ...rest } = reply.body
  equal(requestId, reply.headers['x-request-id'])
  deepEqual(rest, {
    type: 'http://second.test/problems/thing-busy',
    title: 'Someone else has it.',
    status: 409,
    detail: 'Someone else has it.',
    code: 'thing-busy',
    holder: 'ada',
  })
})

test('an H3 error has the same content in its own format', async (t) => {
  const { server } = await serveSpecimen(t)
  const reply = await json(server, post('/api/talk', '{"name":"busy"}'))
  equal(reply.status, 409)
  match(String(reply.headers['content-type']), /^application\/json/)
  deepEqual(reply.body, {
    statusCode: 409,
    statusMessage: 'Conflict',
    message: 'Someone else has it.',
    data: { code: 'thing_busy', holder: 'ada' },
  })
})

test('an untrusted Host never appears in a URL', async (t) => {
  const { server } = await serveSpecimen(t)
  const reply = await json(server, {
    ...post('/api/v1/things', '{}'),
    headers: { host: 'evil.test', 'content-type': 'application/json' },
  })
  match(reply.body.type, /^http:\/\/first\.test\//)
})

const hostileBodies: [string, string | Buffer, number][] = [
  ['not JSON', '{"name":', 400],
  ['two values', '{} {}', 400],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400],
  ['__proto__', '{"name":"x","__proto__":{"admin":true}}', 400],
  ['constructor.prototype', '{"name":"x","constructor":{"prototype":{"admin":true}}}', 400],
  ['a number that is none', '{"name":NaN}', 400],
  ['no body', '', 422],
  ['null', 'null', 422],
  ['an array', '[]', 422],
  ['a wrong type', '{"name":1}', 422],
  ['an unknown field', '{"name":"x","extra":1}', 422],
  ['NUL', '{"name":"a\\u0000b"}', 422],
  ['half a surrogate pair', '{"name":"a\\ud800"}', 422],
  ['half a surrogate pair in a key', '{"name":"a","\\udfff":1}', 422],
  ['1e400', '{"name":1e400}', 422],
  ['deep nesting', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 400],
  ['too long a text', `{"name":"${'x'.repeat(11)}"}`, 422],
]

test('hostile bodies are refused in the declared format, with the declared status', async (t) => {
  const { server, bugs } = await serveSpecimen(t)
  for (const [what, payload, status] of hostileBodies) {
    const problem = await json(server, post('/api/v1/things', payload))
    equal(problem.status, status, what)
    equal(problem.body.status, status, what)
    const h3 = await json(server, post('/api/talk', payload))
    // `writeTalk` accepts names of any length, and declares 400 for an invalid body.
    if (what !== 'too long a text') equal(h3.status, 400, what)
    if (status === 422 && h3.status !== 200) deepEqual(h3.body.errors, h3.body.data.errors, what)
  }
  deepEqual(bugs, [])
})

test('a field error has the field, a code and a message', async (t) => {
  const { server } = await serveSpecimen(t)
  const reply = await json(server, post('/api/v1/things', '{"extra":1}'))
  deepEqual(reply.body.errors, [
    { field: 'name', code: 'required', message: 'is required' },
    { field: 'extra', code: 'unknown', message: 'is not a field here' },
  ])
})

test('bodies over the limit are 413, declared or streamed', async (t) => {
  const { server } = await serveSpecimen(t)
  const large = await json(server, post('/api/v1/things', JSON.stringify({ name: 'x'.repeat(16 * 1024) })))
  equal(large.status, 413)
  equal(large.body.code, 'payload-too-large')
  // The limit is exactly 16 KiB.
  const sized = (bytes: number) => `{"name":"x"${' '.repeat(bytes - 12)}}`
  equal((await json(server, post('/api/v1/things', sized(16_384)))).status, 201)
  equal((await json(server, post('/api/v1/things', sized(16_385)))).status, 413)
})

test('JSON that is nested too deeply is refused before it is parsed; brackets in a string do not count', async (t) => {
  const { server } = await serveSpecimen(t)
  const nested = (depth: number) => `{"name":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  equal((await json(server, post('/api/v1/things', nested(32)))).status, 422)
  const deeper = await json(server, post('/api/v1/things', nested(33)))
  deepEqual([deeper.status, deeper.body.code], [400, 'malformed-json'])
  // Parsed, and too long for a name.
  const name = `"${'[{'.repeat(40)}\\`
  equal((await json(server, post('/api/v1/things', JSON.stringify({ name })))).status, 422)
})

test('a small hostile body gets a small reply', async (t) => {
  const { server } = await serveSpecimen(t)
  const keys = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, 1]))
  const many = await json(server, post('/api/v1/things', JSON.stringify(keys)))
  equal(many.status, 422)
  ok(many.text.length < 5_000)
  const long = await json(server, post('/api/v1/things', JSON.stringify({ ['x'.repeat(10_000)]: 1 })))
  ok(long.text.length < 5_000)
})

test('an invalid request does not count towards a limit', async (t) => {
  const { server } = await serveSpecimen(t)
  for (let count = 0; count < 10; count += 1)
    equal((await server.inject({ url: '/api/limited?page=x', remoteAddress: '192.0.2.77' })).statusCode, 400)
  equal((await server.inject({ url: '/api/limited', remoteAddress: '192.0.2.77' })).statusCode, 200)
})

test('bad JSON for an unknown path is 404', async (t) => {
  const { server } = await serveSpecimen(t)
  equal((await json(server, post('/api/v1/nowhere', '{'))).status, 404)
})

test('another media type is 415, an unknown path 404, another method 405 with Allow', async (t) => {
  const { server } = await serveSpecimen(t)
  const form = await json(server, {
    ...post('/api/v1/things', 'name=x'),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  equal(form.status, 415)
  const octets = await json(server, {
    ...post('/api/v1/things', 'name=x'),
    headers: { 'content-type': 'application/octet-stream' },
  })
  equal(octets.status, 415)
  const nowhere = await json(server, { url: '/api/v1/nowhere' })
  equal(nowhere.status, 404)
  equal(nowhere.body.code, 'not-found')
  const nowhereH3 = await json(server, { url: '/api/nowhere' })
  equal(nowhereH3.body.data.code, 'not_found')
  const method = await json(server, { method: 'DELETE', url: '/api/talk' })
  equal(method.status, 405)
  equal(method.headers.allow, 'POST, OPTIONS')
  equal(method.body.data.code, 'method_not_allowed')
})

test('unusual methods are 405 with Allow on a known path, and 404 elsewhere', async (t) => {
  const { server } = await serveSpecimen(t)
  for (const name of ['TRACE', 'PROPFIND', 'MKCOL', 'SEARCH', 'PURGE', 'REPORT']) {
    const there = await json(server, { method: name as 'GET', url: '/api/talk?x=1' })
    deepEqual(
      [there.status, there.headers.allow, there.body.data.code],
      [405, 'POST, OPTIONS', 'method_not_allowed'],
      name,
    )
    const nowhere = await json(server, { method: name as 'GET', url: '/api/nowhere' })
    deepEqual([nowhere.status, nowhere.headers.allow], [404, undefined], name)
  }
})

test('browsers on other origins get CORS headers', async (t) => {
  const { server } = await serveSpecimen(t)
  const reply = await server.inject({
    method: 'OPTIONS',
    url: '/api/v1/things',
    headers: { origin: 'http://other.test' },
  })
  equal(reply.headers['access-control-allow-origin'], '*')
  equal(reply.statusCode, 204)
  match(String(reply.headers['access-control-allow-headers']), /idempotency-key/)
})

test('a reply has the same CORS headers with and without an Origin, because a cache may give it to either', async (t) => {
  const { server } = await serveSpecimen(t)
  const corsOf = async (headers: Record<string, string>) => {
    const reply = await server.inject({ url: '/api/v1/things', headers })
    return [reply.headers['access-control-allow-origin'], reply.headers['access-control-expose-headers']]
  }
  const without = await corsOf({})
  equal(without[0], '*')
  match(String(without[1]), /payment-required/)
  deepEqual(await corsOf({ origin: 'http://other.test' }), without)
})

test('the CORS lists follow from the headers that endpoints declare', () => {
  const { sent, unsent } = { sent: z.string().optional(), unsent: forbiddenHeader }
  const { allowed, exposed } = corsHeaders([
    { ...specimen.offered, request: { headers: z.object({ 'x-sent': sent, 'x-unsent': unsent, cookie: sent }) } },
    { ...specimen.owned, conditional: true },
  ])
  equal(allowed, 'authorization, content-type, x-sent, access-control-expose-headers')
  equal(exposed, 'x-request-id, retry-after, payment-required, etag')
})

test('each idempotency flavour takes its own kind of key', async (t) => {
  const { server } = await serveSpecimen(t)
  const key = (value: string | undefined) => ({ 'idempotency-key': value as string })
  const body = '{"name":"x"}'
  const codes = async (url: string, value: string | undefined) => {
    const reply = await server.inject({
      method: 'POST',
      url,
      payload: body,
      headers: { 'content-type': 'application/json', ...(value !== undefined && key(value)) },
    })
    const parsed = JSON.parse(reply.payload)
    return reply.statusCode >= 400 ? (parsed.code ?? parsed.data.code) : reply.statusCode
  }
  equal(await codes('/api/v1/things', undefined), 201)
  equal(await codes('/api/v1/things', 'a'.repeat(255)), 201)
  equal(await codes('/api/v1/things', 'a'.repeat(256)), 'idempotency-key-invalid')
  equal(await codes('/api/v1/things', 'a b'), 'idempotency-key-invalid')
  equal(await codes('/api/talk', undefined), 'idempotency_key_required')
  equal(await codes('/api/talk', 'a'.repeat(128)), 200)
  equal(await codes('/api/talk', 'a'.repeat(129)), 'idempotency_key_invalid')
  equal(await codes('/api/talk', 'é'), 'idempotency_key_invalid')
})

test('a limit holds in every window of its length, and says how long to wait', async (t) => {
  const { server, clock } = await serveSpecimen(t)
  const ask = (ip: string) => json(server, { url: '/api/limited', remoteAddress: ip })
  for (let count = 0; count < 3; count += 1) equal((await ask('192.0.2.1')).status, 200)
  await clock.advance(30_000)
  for (let count = 0; count < 2; count += 1) equal((await ask('192.0.2.1')).status, 200)
  const refused = await ask('192.0.2.1')
  equal(refused.status, 429)
  ok(Number(refused.headers['retry-after']) > 0 && Number(refused.headers['retry-after']) <= 30)
  equal(refused.body.data.retryAfter, Number(refused.headers['retry-after']))
  equal((await ask('192.0.2.2')).status, 200)
  // A new clock minute is not a new budget: three of the five are still within the last sixty seconds.
  await clock.advance(30_001)
  for (let count = 0; count < 3; count += 1) equal((await ask('192.0.2.1')).status, 200)
  equal((await ask('192.0.2.1')).status, 429)
})

test('only a trusted proxy can name the client; IPv6 counts by /64', async (t) => {
  const { server } = await serveSpecimen(t)
  const ask = (remoteAddress: string, forwarded?: string) =>
    server.inject({
      url: '/api/limited',
      remoteAddress,
      ...(forwarded && { headers: { 'x-forwarded-for': forwarded } }),
    })
  const statuses = async (asks: Promise<{ statusCode: number }>[]) =>
    (await Promise.all(asks)).map((reply) => reply.statusCode)
  const spoofing = Array.from({ length: 6 }, (_, index) => ask('192.0.2.9', `198.51.100.${index}`))
  deepEqual(await statuses(spoofing), [200, 200, 200, 200, 200, 429])
  const proxied = Array.from({ length: 6 }, (_, index) => ask('10.0.0.1', `198.51.100.${index}`))
  deepEqual(await statuses(proxied), [200, 200, 200, 200, 200, 200])
  const oneHousehold = Array.from({ length: 6 }, (_, index) => ask(`2001:db8:1:2::${index + 1}`))
  deepEqual(await statuses(oneHousehold), [200, 200, 200, 200, 200, 429])
  // A /48 counts as 32 households, however many of its 65,536 networks are used.
  const oneSite: number[] = []
  // Not all at once: a /48 may not have half of all places either.
  for (let first = 0; first < 170; first += 17) {
    const some = Array.from({ length: 17 }, (_, index) => ask(`2001:db8:9:${(first + index).toString(16)}::1`))
    oneSite.push(...(await statuses(some)))
  }
  equal(oneSite.filter((status) => status === 200).length, 160)
  equal((await ask('2001:db8:10:1::1')).statusCode, 200)
})

test('several credentials on one route; wrong, malformed and repeated ones are 401', async (t) => {
  const { server } = await serveSpecimen(t)
  const ask = async (authorization?: string, url = '/api/v1/owned') => {
    const reply = await json(server, { url, headers: authorization === undefined ? {} : { authorization } })
    return reply.status === 401 ? `401 ${reply.headers['www-authenticate']} ${reply.body.code}` : reply.body.kind
  }
  equal(await ask('Bearer owner'), 'owner-session')
  equal(await ask('bearer svcpk_key'), 'publishing-key')
  for (const wrong of [
    undefined,
    'Bearer nobody',
    'Basic owner',
    'Bearer',
    'Bearer  owner',
    'owner',
    'Bearer owner extra',
  ]) {
    equal(await ask(wrong), '401 Bearer unauthorized', String(wrong))
  }
  const reply = await server.inject({ url: '/api/v1/owned', headers: { authorization: 'Bearer owner' } })
  equal(reply.headers['cache-control'], 'private, no-store')
  // Optional: without a credential the caller is anonymous, but a wrong one is an error.
  equal(await ask('Bearer nobody', '/api/offered'), '401 Bearer unauthorized')
  equal(await ask('Bearer owner', '/api/offered'), 'owner-session')
})

test('402 is a reply with its own header', async (t) => {
  const { server } = await serveSpecimen(t)
  const reply = await json(server, { url: '/api/offered' })
  equal(reply.status, 402)
  equal(reply.headers['payment-required'], 'abc')
  deepEqual(reply.body, { amount: '1' })
})

test('redirects and HEAD have no body', async (t) => {
  const { server } = await serveSpecimen(t)
  const reply = await server.inject({ url: '/old' })
  equal(reply.statusCode, 302)
  equal(reply.headers.location, '/new')
  equal(reply.payload, '')
  equal(reply.headers['cache-control'], 'public, max-age=31536000, immutable')
  const head = await server.inject({ method: 'HEAD', url: `/api/v1/things/${thing}` })
  equal(head.statusCode, 200)
  equal(head.payload, '')
})

test('HEAD of an event stream opens none', async (t) => {
  const { server } = await serveSpecimen(t)
  const head = await server.inject({ method: 'HEAD', url: '/api/v1/watched' })
  deepEqual([head.statusCode, head.headers['content-type']], [200, 'text/event-stream; charset=utf-8'])
  equal(opened.at(-1)!.destroyed, true)
})

test('browsers are told to use HTTPS only if all our addresses have it', async (t) => {
  const { server } = await serveSpecimen(t)
  const reply = await server.inject({ url: '/api/nowhere' })
  equal(reply.headers['strict-transport-security'], 'max-age=31536000')
  equal(createOrigins('https://one.test', 'https://two.test').isSecure, true)
  equal(createOrigins('https://one.test', 'http://two.test').isSecure, false)
})

// A missing handler, or one with an undeclared reply, does not compile.
// @ts-expect-error readThing and the others are missing
const incomplete: Handlers<typeof specimen, unknown> = { redirect: handlers.redirect }
// @ts-expect-error 418 is not a reply of readThing
const undeclaredReply: Handlers<typeof specimen, unknown>['readThing'] = async () => ({ status: 418, body: {} })

test('what does not compile is not served either', () => {
  ok(!('readThing' in incomplete))
  equal(typeof undeclaredReply, 'function')
})

test('a refusal that the endpoint did not declare is reported as a bug', async (t) => {
  const { server, bugs } = await serveSpecimen(t)
  await server.inject({ method: 'DELETE', url: '/api/v1/surprise' })
  match(String(bugs[0]), /surprise refused with surprise, which it does not declare/)
})

test('a parameter can be part of a path segment', async (t) => {
  const { server } = await serveSpecimen(t)
  equal((await server.inject('/@ada')).payload, '<p>ada</p>')
  equal((await server.inject('/@ada.md')).payload, 'ada')
  equal((await server.inject('/@ada.md.md')).payload, 'ada.md')
  equal((await server.inject({ method: 'DELETE', url: '/@ada.md' })).headers.allow, 'GET, HEAD, OPTIONS')
})

test('a client that has the reply gets 304, and the body is not made', async (t) => {
  const { server } = await serveSpecimen(t)
  written.length = 0
  const held = await server.inject({ url: '/@held', headers: { 'if-none-match': '"v1"' } })
  deepEqual([held.statusCode, held.payload, held.headers.etag], [304, '', '"v1"'])
  equal(held.headers['cache-control'], 'public, max-age=30, must-revalidate')
  match(String(held.headers['x-request-id']), /^[0-9a-f-]{36}$/)
  deepEqual(written, [])
  const other = await server.inject({ url: '/@held', headers: { 'if-none-match': '"v0"' } })
  deepEqual([other.statusCode, other.payload], [200, '<p>held</p>'])
  const head = await server.inject({ method: 'HEAD', url: '/@held', headers: { 'if-none-match': '"v1"' } })
  equal(head.statusCode, 304)
})

test('a page that fails is refused, and a refusal of a page is a page', async (t) => {
  const { server, bugs } = await serveSpecimen(t)
  for (const url of ['/@lost', '/@MALFORMED', '/@%3Cscript%3E']) {
    const reply = await server.inject(url)
    equal(reply.statusCode, 404)
    equal(reply.headers['content-type'], 'text/html; charset=utf-8')
    equal(reply.headers['cache-control'], 'no-store')
    match(String(reply.headers['content-security-policy']), /^default-src 'none'/)
    ok(reply.payload.includes('No thing has this id.') && reply.payload.includes('/problems/thing-gone'))
    equal(reply.headers.etag, undefined)
  }
  equal((await server.inject({ method: 'PUT', url: '/@ada' })).headers['content-type'], 'text/html; charset=utf-8')
  deepEqual(bugs, [])
})
