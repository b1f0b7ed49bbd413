import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { multipart, nothing, raw, stream } from '@pennypost/contract/body'
import { type Contract, EventStream, endpoint } from '@pennypost/contract/endpoint'
import { discussionIdempotency, keyIdempotency, uploadIdempotency } from '@pennypost/contract/idempotency'
import { limit } from '@pennypost/contract/limit'
import { refusal } from '@pennypost/contract/refusal'
import { queryInteger, Uuid } from '@pennypost/contract/schemas'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { z } from 'zod'
import { movableClock } from '../clock.ts'
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

export const gone = refusal('thing-gone', 404, 'No thing has this id.')
export const busy = refusal('thing-busy', 409, 'Someone else has it.', { holder: z.string() })
const undeclared = refusal('surprise', 409, 'Nobody declared this.')
export const five = limit('five-a-minute', { per: 'ip', max: 5, seconds: 60 })

export const specimen = {
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

export const missing = '00000000-0000-4000-8000-000000000000'

export const handlers: Handlers<typeof specimen, { folder: string }> = {
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

export function untilReleased(name: string): Promise<void> {
  begun.push(name)
  return new Promise<void>((resolve) => releases.set(name, resolve))
}

/** The slow reads that were begun, and what lets each of them finish. */
export const begun: string[] = []
export const releases = new Map<string, () => void>()
/** Whether the client of each has left. */
export const presence = new Map<string, () => boolean>()

/** The streams that were opened. */
export const opened: Readable[] = []

/** For whom a page was written. */
export const written: string[] = []

export async function serveSpecimen(
  t: TestContext,
  given: Pick<ServeSettings, 'uploadsGiveWay' | 'findRedirect' | 'lingerMs' | 'quietConnectionMs'> = {},
) {
  // Several files run in one process, and a file may run there more than once.
  for (const remembered of [releases, presence]) remembered.clear()
  begun.length = 0
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

export const json = async (server: FastifyInstance, options: InjectOptions) => {
  const response = await server.inject(options)
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.payload,
    body: response.payload ? JSON.parse(response.payload) : undefined,
  }
}

export const post = (url: string, payload: string | Buffer, headers: Record<string, string> = {}): InjectOptions => ({
  method: 'POST',
  url,
  payload,
  headers: { 'content-type': 'application/json', 'idempotency-key': 'k1', ...headers },
})

export const thing = '11111111-1111-4111-8111-111111111111'
