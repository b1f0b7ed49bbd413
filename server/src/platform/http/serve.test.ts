import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, type RequestOptions, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { multipart, nothing, raw, stream } from '@pennypost/contract/body'
import { type Contract, EventStream, endpoint } from '@pennypost/contract/endpoint'
import { forbiddenHeader } from '@pennypost/contract/forbidden-header'
import { discussionIdempotency, keyIdempotency, uploadIdempotency } from '@pennypost/contract/idempotency'
import { limit } from '@pennypost/contract/limit'
import { refusal } from '@pennypost/contract/refusal'
import { queryInteger, Uuid } from '@pennypost/contract/schemas'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { z } from 'zod'
import { until } from '../../test/until.ts'
import { movableClock } from '../clock.ts'
import { QueueFull } from '../fair-queue.ts'
import { memoryRateLimiter } from '../limits/memory-rate-limiter.ts'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { corsHeaders } from './cors.ts'
import type { Authenticators, Handlers } from './handler.ts'
import { createOrigins } from './origins.ts'
import { bareLayout } from './page.fixture.ts'
import { refuse } from './refuse.ts'
import { createResponseFinalizer } from './response-finalizer.ts'
import { bind, createServer, type ServeSettings } from './serve.ts'

// A small contract that uses every feature of an endpoint, served by the real pipeline.

const gone = refusal('thing-gone', 404, 'No thing has this id.')
const busy = refusal('thing-busy', 409, 'Someone else has it.', { holder: z.string() })
const undeclared = refusal('surprise', 409, 'Nobody declared this.')
const five = limit('five-a-minute', { per: 'ip', max: 5, seconds: 60 })

const specimen = {
  readThing: endpoint({
    method: 'GET',
    path: '/api/v1/things/{thingId}',
    tag: 'Things',
    summary: 'Read',
    credential: 'none',
    request: {
      params: z.object({ thingId: Uuid }),
      query: z.object({ page: queryInteger({ min: 1, max: 9, default: 1 }) }),
    },
    replies: { 200: z.object({ page: z.number(), note: z.string().nullable() }) },
    refusals: [gone],
    errors: 'problem',
    cache: { seconds: 300, staleSeconds: 60 },
  }),
  writeThing: endpoint({
    method: 'POST',
    path: '/api/v1/things',
    tag: 'Things',
    summary: 'Write',
    credential: 'none',
    request: { body: z.strictObject({ name: z.string().min(1).max(10) }) },
    replies: { 201: z.object({ name: z.string() }) },
    refusals: [busy],
    errors: 'problem',
    idempotency: keyIdempotency,
  }),
  writeTalk: endpoint({
    method: 'POST',
    path: '/api/talk',
    tag: 'Things',
    summary: 'Write in the other family',
    credential: 'none',
    request: { body: z.strictObject({ name: z.string() }) },
    replies: { 200: z.object({ key: z.string() }) },
    refusals: [busy],
    errors: 'h3',
    invalidBody: 400,
    idempotency: discussionIdempotency,
  }),
  limited: endpoint({
    method: 'GET',
    path: '/api/limited',
    tag: 'Things',
    summary: 'Limited',
    credential: 'none',
    request: { query: z.object({ page: queryInteger({ min: 1, max: 9, default: 1 }) }) },
    replies: { 200: z.object({}) },
    errors: 'h3',
    limits: [five],
    retryHint: 'body',
  }),
  owned: endpoint({
    method: 'GET',
    path: '/api/v1/owned',
    tag: 'Things',
    summary: 'Either of two credentials',
    credential: ['owner-session', 'publishing-key'],
    replies: { 200: z.object({ kind: z.string() }) },
    errors: 'problem',
  }),
  offered: endpoint({
    method: 'GET',
    path: '/api/offered',
    tag: 'Things',
    summary: 'A quote is a reply',
    credential: ['none', 'owner-session'],
    replies: { 200: z.object({ kind: z.string() }), 402: z.object({ amount: z.string() }) },
    replyHeaders: { 'PAYMENT-REQUIRED': 'The quote.' },
    errors: 'problem',
  }),
  watched: endpoint({
    method: 'GET',
    path: '/api/v1/watched',
    tag: 'Things',
    summary: 'Events',
    credential: 'none',
    replies: { 200: z.object({}) },
    events: 'Ticks.',
    errors: 'problem',
  }),
  uploadForm: endpoint({
    method: 'POST',
    path: '/api/v1/form',
    tag: 'Things',
    summary: 'Multipart',
    credential: 'none',
    request: {
      body: multipart({
        file: { field: 'file', maxBytes: 1_000_000 },
        fields: z.strictObject({ intent: z.enum(['a', 'b']).optional() }),
      }),
    },
    replies: {
      200: z.object({ size: z.number(), sha256: z.string(), text: z.string(), intent: z.string().nullable() }),
    },
    errors: 'problem',
    idempotency: uploadIdempotency,
  }),
  uploadStream: endpoint({
    method: 'PUT',
    path: '/part',
    tag: 'Things',
    summary: 'Streamed',
    credential: 'none',
    request: { body: stream({ contentType: 'application/octet-stream', maxBytes: 1000 }) },
    replies: { 200: z.object({ size: z.number() }) },
    errors: 'problem',
  }),
  redirect: endpoint({
    method: 'GET',
    path: '/old',
    tag: 'Things',
    summary: 'Redirect',
    credential: 'none',
    replies: { 302: nothing('Elsewhere.'), 200: raw('text/plain; charset=utf-8', 'Text.') },
    errors: 'problem',
    cache: 'immutable',
  }),
  showPage: endpoint({
    method: 'GET',
    path: '/@{name}',
    tag: 'Things',
    summary: 'A page for people',
    credential: 'none',
    request: { params: z.object({ name: z.string().regex(/^[a-z]+$/) }) },
    replies: { 200: raw('text/html; charset=utf-8', 'A page.') },
    refusals: [gone],
    errors: 'page',
    cache: { seconds: 30, mustRevalidate: true },
    conditional: true,
  }),
  getTwin: endpoint({
    method: 'GET',
    path: '/@{name}.md',
    tag: 'Things',
    summary: 'The same with an ending',
    credential: 'none',
    request: { params: z.object({ name: z.string() }) },
    replies: { 200: raw('text/markdown; charset=utf-8', 'Markdown.') },
    errors: 'problem',
  }),
  slowThing: endpoint({
    method: 'GET',
    path: '/api/v1/slow',
    tag: 'Things',
    summary: 'Slow',
    credential: 'none',
    request: { query: z.object({ name: z.string() }) },
    replies: { 200: z.object({ name: z.string() }) },
    errors: 'problem',
  }),
  soldThing: endpoint({
    method: 'GET',
    path: '/api/v1/sold',
    tag: 'Things',
    summary: 'Sold',
    credential: 'none',
    request: {
      query: z.object({ name: z.string() }),
      headers: z.object({ 'payment-signature': z.string().optional() }),
    },
    replies: { 200: z.object({ name: z.string() }) },
    errors: 'problem',
  }),
  sharedThing: endpoint({
    method: 'GET',
    path: '/api/v1/shared',
    tag: 'Things',
    summary: 'Shared, unless there is a query',
    credential: 'none',
    request: { query: z.object({ gift: z.string().optional() }) },
    replies: { 200: z.object({}) },
    errors: 'problem',
    sharesWork: 'without-query',
  }),
  slowNote: endpoint({
    method: 'POST',
    path: '/api/v1/notes',
    tag: 'Things',
    summary: 'A write that gives way',
    credential: 'none',
    request: { body: z.strictObject({ name: z.string() }) },
    replies: { 200: z.object({ name: z.string() }) },
    errors: 'problem',
    givesWay: true,
    maxBodyBytes: 6_000_000,
  }),
  surprise: endpoint({
    method: 'DELETE',
    path: '/api/v1/surprise',
    tag: 'Things',
    summary: 'A handler with a bug',
    credential: 'none',
    replies: { 200: z.object({}) },
    errors: 'problem',
  }),
} satisfies Contract

const missing = '00000000-0000-4000-8000-000000000000'

const handlers: Handlers<typeof specimen, { folder: string }> = {
  readThing: async (_services, { params, query }) => {
    if (params.thingId === missing) refuse(gone)
    // A field that the contract does not declare must not be sent.
    return { status: 200, body: { page: query.page, note: null, secret: 'x' } as { page: number; note: null } }
  },
  writeThing: async (_services, { body }) => {
    if (body.name === 'busy') refuse(busy, { holder: 'ada' })
    return { status: 201, body: { name: body.name } }
  },
  writeTalk: async (_services, { body, idempotencyKey }) => {
    if (body.name === 'busy') refuse(busy, { holder: 'ada' })
    return { status: 200, body: { key: idempotencyKey } }
  },
  limited: async () => ({ status: 200, body: {} }),
  owned: async (_services, { caller }) => ({ status: 200, body: { kind: caller.kind } }),
  watched: async () => {
    const text = new Readable({ read() {} })
    opened.push(text)
    text.push('event: tick\n\n')
    return { status: 200, body: new EventStream(text) as never }
  },
  offered: async (_services, { caller }) =>
    caller.kind === 'none'
      ? { status: 402, headers: { 'PAYMENT-REQUIRED': 'abc' }, body: { amount: '1' } }
      : { status: 200, body: { kind: caller.kind } },
  uploadForm: async (_services, { body }) => ({
    status: 200,
    body: {
      size: body.file.sizeBytes,
      sha256: body.file.sha256,
      text: await readFile(body.file.path, 'utf8'),
      intent: body.fields.intent ?? null,
    },
  }),
  uploadStream: async (_services, { body }) => {
    let size = 0
    for await (const chunk of body) size += (chunk as Buffer).length
    return { status: 200, body: { size } }
  },
  redirect: async () => ({ status: 302, headers: { location: '/new' } }),
  showPage: async (_services, { params }) => ({
    status: 200,
    headers: { etag: '"v1"' },
    body: async () => {
      if (params.name === 'lost') refuse(gone)
      written.push(params.name)
      return `<p>${params.name}</p>`
    },
  }),
  getTwin: async (_services, { params }) => ({ status: 200, body: params.name }),
  surprise: async () => refuse(undeclared),
  slowNote: async (_services, { body }) => {
    const name = body.name.slice(0, 10)
    await untilReleased(name)
    return { status: 200, body: { name } }
  },
  sharedThing: async (_services, { query }) => {
    begun.push(query.gift ?? 'shared')
    return { status: 200, body: {} }
  },
  slowThing: async (_services, { query, hasLeft }) => {
    presence.set(query.name, hasLeft)
    await untilReleased(query.name)
    return { status: 200, body: { name: query.name } }
  },
  soldThing: async (_services, { query }) => {
    await untilReleased(query.name)
    return { status: 200, body: { name: query.name } }
  },
}

function untilReleased(name: string): Promise<void> {
  begun.push(name)
  return new Promise<void>((resolve) => releases.set(name, resolve))
}

/** The slow reads that were begun, and what lets each of them finish. */
const begun: string[] = []
const releases = new Map<string, () => void>()
/** Whether the client of each has left. */
const presence = new Map<string, () => boolean>()

/** The streams that were opened. */
const opened: Readable[] = []

/** For whom a page was written. */
const written: string[] = []

// A missing handler, or one with an undeclared reply, does not compile.
// @ts-expect-error readThing and the others are missing
const incomplete: Handlers<typeof specimen, unknown> = { redirect: handlers.redirect }
// @ts-expect-error 418 is not a reply of readThing
const undeclaredReply: Handlers<typeof specimen, unknown>['readThing'] = async () => ({ status: 418, body: {} })

async function serveSpecimen(
  t: TestContext,
  given: Pick<ServeSettings, 'uploadsGiveWay' | 'findRedirect' | 'quietConnectionMs'> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-serve-'))
  const bugs: unknown[] = []
  const latency = createMetrics().requestLatency
  const clock = await movableClock()
  const cors = corsHeaders(Object.values(specimen))
  const server = await createServer({
    operations: bind(specimen, handlers, { folder }),
    // The rest of an account belongs to another room.
    authenticators: {
      'owner-session': async (token: string) =>
        token === 'owner' ? { kind: 'owner-session', accountId: 'a', sessionId: 's', isAnonymous: false } : undefined,
      'publishing-key': async (token: string) =>
        token === 'svcpk_key' ? { kind: 'publishing-key', accountId: 'a', keyId: 'k' } : undefined,
    } as unknown as Authenticators,
    rateLimiter: memoryRateLimiter(),
    clock,
    origins: createOrigins('http://first.test', 'http://second.test'),
    temporaryFolder: folder,
    checkReplies: false,
    createLayout: () => bareLayout,
    trustProxy: ['10.0.0.1'],
    connectionsPerAddress: 100,
    concurrency: createConcurrencyLimit({ ofClient: 4, together: 5, waiting: 1000 }),
    log: createLog('silent'),
    cors,
    finalizerFor: createResponseFinalizer({
      sameOriginOnly: new Set(),
      log: createLog('silent'),
      latency,
      exposedHeaders: cors.exposed,
      isSecure: true,
    }),
    onBug: (_operation, cause) => bugs.push(cause),
    ...given,
  })
  t.after(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { server, bugs, clock, folder, latency }
}

const json = async (server: FastifyInstance, options: InjectOptions) => {
  const response = await server.inject(options)
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.payload,
    body: response.payload ? JSON.parse(response.payload) : undefined,
  }
}

const post = (url: string, payload: string | Buffer, headers: Record<string, string> = {}): InjectOptions => ({
  method: 'POST',
  url,
  payload,
  headers: { 'content-type': 'application/json', 'idempotency-key': 'k1', ...headers },
})

const thing = '11111111-1111-4111-8111-111111111111'

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

const formOf = (parts: string[], boundary = 'x') =>
  Buffer.from(`${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`)
const filePart = (field: string, text: string) =>
  `content-disposition: form-data; name="${field}"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\n${text}`
const fieldPart = (field: string, text: string) => `content-disposition: form-data; name="${field}"\r\n\r\n${text}`

test('a form has exactly one file; anything else is refused and leaves no files', async (t) => {
  const { server, folder, bugs } = await serveSpecimen(t)
  const sendForm = (payload: Buffer, type = 'multipart/form-data; boundary=x') =>
    json(server, post('/api/v1/form', payload, { 'content-type': type }))
  const good = await sendForm(formOf([filePart('file', 'hello'), fieldPart('intent', 'b')]))
  equal(good.status, 200, good.text)
  equal(good.body.text, 'hello')
  equal(good.body.intent, 'b')
  const cases: [string, Buffer, number][] = [
    ['no file', formOf([fieldPart('intent', 'a')]), 422],
    ['two files', formOf([filePart('file', 'a'), filePart('file', 'b')]), 422],
    ['another field', formOf([filePart('other', 'a')]), 422],
    ['an unknown field', formOf([filePart('file', 'a'), fieldPart('more', 'a')]), 422],
    ['a repeated field', formOf([filePart('file', 'a'), fieldPart('intent', 'a'), fieldPart('intent', 'b')]), 422],
    ['a wrong value', formOf([filePart('file', 'a'), fieldPart('intent', 'z')]), 422],
    ['__proto__', formOf([filePart('file', 'a'), fieldPart('__proto__', 'z')]), 422],
    [
      'a thousand parts',
      formOf([filePart('file', 'a'), ...Array.from({ length: 1000 }, (_, index) => fieldPart(`f${index}`, 'a'))]),
      422,
    ],
    ['too large a file', formOf([filePart('file', 'a'.repeat(1_000_001))]), 413],
    ['cut off', formOf([filePart('file', 'hello')]).subarray(0, 80), 422],
    ['no form at all', Buffer.from('hello'), 422],
  ]
  for (const [what, payload, status] of cases) equal((await sendForm(payload)).status, status, what)
  equal((await sendForm(Buffer.from('{}'), 'application/json')).status, 415)
  deepEqual(await readdir(folder), [])
  deepEqual(bugs, [])
})

test('a form that ends early is refused wherever it ends, also beyond its limits', async (t) => {
  const { server, bugs } = await serveSpecimen(t)
  const parts = [...Array.from({ length: 12 }, (_, index) => fieldPart(`f${index}`, 'a')), filePart('file', 'a')]
  const nameless = Buffer.from('--x\r\ncontent-type: text/plain\r\n\r\na\r\n')
  for (const form of [formOf(parts), formOf([...parts.slice(-1), ...parts.slice(-1)])])
    for (const payload of [form, Buffer.concat([nameless, form])])
      for (let end = 0; end < payload.length - 4; end += 11) {
        const request = post('/api/v1/form', payload.subarray(0, end), {
          'content-type': 'multipart/form-data; boundary=x',
        })
        equal((await json(server, request)).status, 422, `${end} bytes`)
      }
  deepEqual(bugs, [])
})

/** Sends requests one after the other on the same connection. Each returns its status. */
async function sendOnOneConnection(t: TestContext, server: FastifyInstance) {
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as { port: number }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  return (options: RequestOptions, body?: Buffer) =>
    new Promise<number>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', agent, timeout: 5000, ...options }, (reply) => {
        reply.resume().on('end', () => resolve(reply.statusCode!))
      })
      sent.on('timeout', () => sent.destroy(new Error('no reply')))
      sent.on('error', reject).end(body)
    })
}

test('after a refused form its connection takes the next request', async (t) => {
  const { server } = await serveSpecimen(t)
  const send = await sendOnOneConnection(t, server)
  const large = filePart('file', 'a'.repeat(900_000))
  const forms: [string, Buffer][] = [
    ['too many fields', formOf([...Array.from({ length: 12 }, (_, index) => fieldPart(`f${index}`, 'a')), large])],
    ['an unknown file field', formOf([filePart('other', 'a'.repeat(900_000))])],
    ['two files', formOf([filePart('file', 'a'), large])],
    ['a repeated field', formOf([fieldPart('intent', 'a'), fieldPart('intent', 'b'), large])],
    ['a forbidden name', formOf([fieldPart('__proto__', 'a'), large])],
    ['too long a field', formOf([fieldPart('intent', 'a'.repeat(20_000)), large])],
    ['too large a file', formOf([filePart('file', 'a'.repeat(1_400_000)), fieldPart('intent', 'a')])],
  ]
  for (const [what, form] of forms) {
    const headers = {
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': form.length,
      'idempotency-key': 'k1',
    }
    ok([413, 422].includes(await send({ method: 'POST', path: '/api/v1/form', headers }, form)), what)
    equal(await send({ path: '/old' }), 302, `after ${what}`)
  }
})

test('a stream that is refused in the middle gets its reply, and its connection takes the next request', async (t) => {
  const { server } = await serveSpecimen(t, { uploadsGiveWay: () => Promise.reject(new QueueFull(true)) })
  const send = await sendOnOneConnection(t, server)
  const headers = { 'content-type': 'application/octet-stream', 'content-length': 1000 }
  equal(await send({ method: 'PUT', path: '/part', headers }, Buffer.alloc(1000)), 503)
  equal(await send({ path: '/old' }), 302)
})

test('a stream needs a Content-Length within its limit', async (t) => {
  const { server } = await serveSpecimen(t)
  const put = (payload: Buffer, headers: Record<string, string> = {}) =>
    json(server, {
      method: 'PUT',
      url: '/part',
      payload,
      headers: { 'content-type': 'application/octet-stream', ...headers },
    })
  equal((await put(Buffer.alloc(1000))).body.size, 1000)
  equal((await put(Buffer.alloc(1001))).status, 413)
  equal((await put(Buffer.alloc(1), { 'content-type': 'application/json' })).status, 415)
})

test('the file of a form and a stream give way piece by piece, and are refused where too much waits', async (t) => {
  const pieces: [string, number, string][] = []
  let isFull = false
  const { server } = await serveSpecimen(t, {
    async uploadsGiveWay(owner, bytes, work, group) {
      pieces.push([owner, bytes, group])
      if (isFull) throw new QueueFull(true)
      await work()
    },
  })
  const stream = post('/part', Buffer.alloc(900), { 'content-type': 'application/octet-stream' })
  const uploads: InjectOptions[] = [
    post('/api/v1/form', formOf([filePart('file', 'hello')]), { 'content-type': 'multipart/form-data; boundary=x' }),
    { ...stream, method: 'PUT' },
  ]
  for (const [upload, bytes] of [
    [uploads[0]!, 5],
    [uploads[1]!, 900],
  ] as const) {
    const remoteAddress = '192.0.2.9'
    equal((await json(server, { ...upload, remoteAddress })).status, 200)
    deepEqual(pieces.splice(0), [[remoteAddress, bytes, remoteAddress]])
    isFull = true
    const refused = await json(server, { ...upload, remoteAddress })
    deepEqual([refused.status, refused.body.code], [503, 'temporarily-unavailable'])
    isFull = false
    pieces.length = 0
  }
})

test('an upload for which there is no room gets 503, and not an internal error', async (t) => {
  const { server } = await serveSpecimen(t, { uploadsGiveWay: () => writeFile('/dev/full', 'a byte') })
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const refused = await json(server, post('/api/v1/form', formOf([filePart('file', 'hello')]), headers))
  deepEqual([refused.status, refused.body.code], [503, 'temporarily-unavailable'])
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

test('a client that never closes its side of a bad connection does not keep the socket', async (t) => {
  const { server } = await serveSpecimen(t)
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as { port: number }
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => client.write('NONSENSE\r\n\r\n'))
  t.after(() => client.destroy())
  match(String(await once(client, 'data')), /^HTTP\/1\.1 400 /)
  const count = () => new Promise<number>((resolve) => server.server.getConnections((_error, found) => resolve(found)))
  await until('the socket is freed', async () => (await count()) === 0)
})

test('a connection on which nothing moves ends', { timeout: 20_000 }, async (t) => {
  const { server } = await serveSpecimen(t, { quietConnectionMs: 100 })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as { port: number }
  const client = connect({ port, host: '127.0.0.1' }, () => client.write('GET /api/nowhere HTTP/1.1\r\n'))
  await once(client.resume(), 'close')
})

test('the server closes though clients keep connections open, used or not', { timeout: 20_000 }, async (t) => {
  const { server } = await serveSpecimen(t)
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as { port: number }
  const [used, unused] = [connect({ port, host: '127.0.0.1' }), connect({ port, host: '127.0.0.1' })]
  await Promise.all([once(used, 'connect'), once(unused, 'connect')])
  used.write('GET /api/nowhere HTTP/1.1\r\nhost: a\r\n\r\n')
  match(String(await once(used, 'data')), /^HTTP\/1\.1 404 /)
  await Promise.all([server.close(), once(used, 'close'), once(unused, 'close')])
})

test('a client that leaves during an upload is no bug', async (t) => {
  const { server, bugs, latency } = await serveSpecimen(t)
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as { port: number }
  const form = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhalf'
  for (const [line, type, body] of [
    ['POST /api/v1/form', 'multipart/form-data; boundary=x', form],
    ['PUT /part', 'application/octet-stream', 'half'],
  ] as const) {
    const begun = once(server.server, 'request')
    const client = connect({ port, host: '127.0.0.1' })
    const headers = ['host: a', `idempotency-key: ${randomUUID()}`, `content-type: ${type}`, 'content-length: 900']
    client.write([`${line} HTTP/1.1`, ...headers, '', body].join('\r\n'))
    await begun
    client.resetAndDestroy()
  }
  for (const operation of ['uploadForm', 'uploadStream'])
    await until('it is counted', () => latency.text().includes(`{operation="${operation}",status="499"`))
  deepEqual(bugs, [])
})

test('what does not compile is not served either', () => {
  ok(!('readThing' in incomplete))
  equal(typeof undeclaredReply, 'function')
})

test('a refusal that the endpoint did not declare is reported as a bug', async (t) => {
  const { server, bugs } = await serveSpecimen(t)
  await server.inject({ method: 'DELETE', url: '/api/v1/surprise' })
  match(String(bugs[0]), /surprise refused with surprise, which it does not declare/)
})

test('unreadable requests get a reply', async (t) => {
  const { server } = await serveSpecimen(t)
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as { port: number }
  const ask = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      let text = ''
      socket.setTimeout(5_000, () => reject(new Error('no answer')))
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('close', () => resolve(text))
      socket.on('error', () => resolve(text))
    })
  match(await ask(`GET / HTTP/1.1\r\nhost: x\r\nx-big: ${'a'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /)
  match(await ask('NONSENSE\r\n\r\n'), /^HTTP\/1\.1 400 /)
  match(await ask('GET / HTTP/1.1\r\nconnection: close\r\n\r\n'), /^HTTP\/1\.1 404 .*x-request-id/is)
  match(
    await ask(`GET /api/v1/things/${'a'.repeat(400)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
    /^HTTP\/1\.1 404 .*x-request-id/is,
  )
  match(
    await ask('GET /old HTTP/1.1\r\nhost: x\r\nexpect: the-unknown\r\nconnection: close\r\n\r\n'),
    /^HTTP\/1\.1 30\d .*x-request-id/is,
  )
  match(await ask('GET /%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'), /^HTTP\/1\.1 40[04] /)
  match(
    await ask(
      'PUT /part HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n0\r\n\r\n',
    ),
    /^HTTP\/1\.1 411 /,
  )
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

const slowRead = (server: FastifyInstance, name: string, options: InjectOptions = {}) =>
  server.inject({ url: `/api/v1/slow?name=${name}`, remoteAddress: '192.0.2.1', ...options })

const paidRead = (server: FastifyInstance, name: string, options: InjectOptions = {}) =>
  server.inject({
    url: '/api/v1/sold',
    query: { name },
    remoteAddress: '192.0.2.1',
    headers: { 'payment-signature': 'x' },
    ...options,
  })

async function release(names: readonly string[]) {
  for (const name of names) {
    await until(`${name} was begun`, () => releases.has(name))
    releases.get(name)!()
    releases.delete(name)
  }
}

test('four reads of one address are in progress; its further ones wait, and those of others and payments do not', async (t) => {
  const { server } = await serveSpecimen(t)
  begun.length = 0
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  // The header of a payment changes nothing where nothing is sold.
  const optionsOf = (at: number): InjectOptions =>
    at === 1 ? { method: 'HEAD' } : { method: 'GET', headers: at > 3 ? { 'payment-signature': 'x' } : {} }
  const own = names.map((name, at) => slowRead(server, name, optionsOf(at)))
  const paid = paidRead(server, 'paid')
  const other = slowRead(server, 'other', { remoteAddress: '192.0.2.2' })
  await until('six were begun', () => begun.length === 6)
  deepEqual(begun, ['a', 'b', 'c', 'd', 'paid', 'other'])
  await release(['a'])
  await until('the next was begun', () => begun.includes('e'))
  await release(['b', 'c', 'd', 'e', 'f', 'paid', 'other'])
  for (const reply of await Promise.all([...own, paid, other])) equal(reply.statusCode, 200)
})

test('eight payments of one address are in progress; its further ones wait', async (t) => {
  const { server } = await serveSpecimen(t)
  begun.length = 0
  const names = Array.from({ length: 10 }, (_, at) => `paid ${at}`)
  const own = names.map((name) => paidRead(server, name))
  const other = paidRead(server, 'other', { remoteAddress: '192.0.2.2' })
  await until('nine were begun', () => begun.length === 9)
  deepEqual(begun, [...names.slice(0, 8), 'other'])
  await release([...names, 'other'])
  for (const reply of await Promise.all([...own, other])) equal(reply.statusCode, 200)
})

test('requests for pages that are nowhere wait for each other too', async (t) => {
  const findRedirect = async (path: string) => {
    await untilReleased(path)
    return path === '/moved' ? '/there' : undefined
  }
  const { server } = await serveSpecimen(t, { findRedirect })
  begun.length = 0
  const paths = ['/moved', '/b', '/c', '/d', '/e']
  const own = paths.map((url) => server.inject({ url, remoteAddress: '192.0.2.1' }))
  await until('four were begun', () => begun.length === 4)
  equal((await server.inject({ url: '/api/v1/shared', remoteAddress: '192.0.2.2' })).statusCode, 200)
  equal(begun.includes('/e'), false)
  await release(paths)
  const replies = await Promise.all(own)
  deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [301, 404, 404, 404, 404],
  )
  equal(replies[0]!.headers.location, '/there')
})

test('reads of one URL that shares its work start together when their turn comes', async (t) => {
  const { server } = await serveSpecimen(t)
  begun.length = 0
  const slow = ['a', 'b', 'c', 'd']
  const replies = slow.map((name) => slowRead(server, name))
  await until('all places are taken', () => begun.length === 4)
  for (const path of ['shared', 'shared?gift=1', 'shared', 'shared?gift=1', 'shared'])
    replies.push(server.inject({ url: `/api/v1/${path}`, remoteAddress: '192.0.2.1' }))
  // Another client's request, sent after them, is served immediately: so they are waiting.
  await server.inject({ url: '/api/v1/shared?gift=other', remoteAddress: '192.0.2.2' })
  await release(slow.slice(0, 1))
  await until('the others were begun', () => begun.length === 10)
  deepEqual(begun.slice(4), ['other', 'shared', 'shared', 'shared', '1', '1'])
  await release(slow.slice(1))
  for (const reply of await Promise.all(replies)) equal(reply.statusCode, 200)
})

test('a handler can ask whether its client has left', async (t) => {
  const { server } = await serveSpecimen(t)
  const origin = await server.listen()
  const leaving = new AbortController()
  const reply = fetch(`${origin}/api/v1/slow?name=leaving`, { signal: leaving.signal })
  await until('it was begun', () => presence.has('leaving'))
  equal(presence.get('leaving')!(), false)
  leaving.abort()
  await rejects(reply)
  await until('it is seen to have left', () => presence.get('leaving')!())
  await release(['leaving'])
})

test('of one address a thousand reads wait; a further one is asked to come back', async (t) => {
  const { server, bugs } = await serveSpecimen(t)
  begun.length = 0
  const names = Array.from({ length: 1004 }, (_, at) => `n${at}`)
  const own = names.map((name) => slowRead(server, name))
  await until('four were begun', () => begun.length === 4)
  const reply = await slowRead(server, 'more')
  deepEqual([reply.statusCode, reply.headers['retry-after'], reply.json().code], [503, '1', 'temporarily-unavailable'])
  await release(names)
  for (const each of await Promise.all(own)) equal(each.statusCode, 200)
  deepEqual(bugs, [])
})

test('an open event stream is not a read in progress', async (t) => {
  const { server } = await serveSpecimen(t)
  const origin = await server.listen()
  const streams = await Promise.all(Array.from({ length: 6 }, () => fetch(`${origin}/api/v1/watched`)))
  equal((await fetch(`${origin}/api/v1/things/${thing}`)).status, 200)
  for (const stream of streams) await stream.body!.cancel()
})

test('writes that give way wait for one another: one of a client at a time, and 503 if too much waits', async (t) => {
  const { server } = await serveSpecimen(t)
  const send = (name: string, remoteAddress = '192.0.2.7') =>
    server.inject({ ...post('/api/v1/notes', JSON.stringify({ name })), remoteAddress })
  const first = send('first note')
  await until('the write has begun', () => begun.includes('first note'))
  // Five megabytes each: three may wait, whichever come first.
  const waiting = ['wait 1', 'wait 2', 'wait 3', 'wait 4'].map((name) => send(name.padEnd(5_000_000)))
  const refused = await Promise.race(waiting)
  deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '1'])
  // Another client does not wait for them.
  const other = send('other note', '192.0.2.8')
  await until('the other write has begun', () => begun.includes('other note'))
  const begunOfWaiting = () => begun.filter((name) => name.startsWith('wait'))
  deepEqual(begunOfWaiting(), [])
  releases.get('other note')!()
  releases.get('first note')!()
  for (const count of [1, 2, 3]) {
    await until('the next one has begun', () => begunOfWaiting().length === count)
    releases.get(begunOfWaiting().at(-1)!)!()
  }
  const statuses = (await Promise.all([first, other, ...waiting])).map(({ statusCode }) => statusCode)
  deepEqual(statuses.toSorted(), [200, 200, 200, 200, 200, 503])
})
