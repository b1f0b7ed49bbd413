import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import multipart from '@fastify/multipart'
import type { Contract, Endpoint } from '@pennypost/contract/endpoint'
import {
  familyOfUnknownPath,
  headersTooLarge,
  invalidRequest,
  methodNotAllowed,
  notFound,
  refusalsOf,
} from '@pennypost/contract/errors'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { refusedBy } from './failures.ts'
import { parseJsonBody } from './json-body.ts'
import { Refused, refuse } from './refuse.ts'
import { type RenderContext, renderRefusal } from './render-refusal.ts'
import { type BoundHandler, type RouteSettings, routeOf } from './route.ts'

export interface ServeSettings extends RouteSettings {
  readonly operations: readonly { readonly name: string; readonly endpoint: Endpoint; readonly handle: BoundHandler }[]
  readonly trustProxy: readonly string[]
  readonly log: Log
  readonly metrics: Metrics
  /** A refusal that its endpoint did not declare, or anything else nobody expected. Tests fail on it. */
  readonly onBug: (operation: string, cause: unknown) => void
}

/** Pairs each operation of a contract with its handler. */
export function bind<C extends Contract, Services>(
  contract: C,
  handlers: { readonly [Name in keyof C]: (services: Services, call: never) => Promise<unknown> },
  services: Services,
): ServeSettings['operations'] {
  return Object.entries(contract).map(([name, endpoint]) => ({
    name,
    endpoint,
    handle: ((call) => handlers[name]!(services, call as never)) as BoundHandler,
  }))
}

/** An HTTP server for declared operations. It has never heard of a Post. */
export async function createServer(settings: ServeSettings): Promise<FastifyInstance> {
  const server = fastify({
    logger: false,
    trustProxy: settings.trustProxy.length > 0 ? [...settings.trustProxy] : false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: false },
    requestTimeout: 60_000,
    // While draining, what arrives on open connections is still answered; the connection then closes.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => fail(settings, error, request, reply as FastifyReply),
    clientErrorHandler: answerUnreadableRequest,
    // Ours to answer, like any other request.
    http: { requireHostHeader: false },
  })
  server.decorateRequest('caller', null)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, parseJsonBody(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  server.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
  await server.register(multipart, { throwFileSizeLimit: true })

  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (request.headers.origin !== undefined) {
      reply.header('access-control-allow-origin', '*')
      reply.header('access-control-expose-headers', exposedHeaders)
    }
    // Before the body is read: of an address that nobody has, it is of no interest.
    done(request.is404 ? new Refused(notFound, {}, {}) : undefined)
  })
  const record = recorder(settings)
  server.addHook('onResponse', (request, reply, done) => {
    record(request, reply)
    done()
  })
  server.setErrorHandler((error, request, reply) => fail(settings, error, request, reply))
  server.setNotFoundHandler((request, reply) => fail(settings, new Refused(notFound, {}, {}), request, reply))

  for (const { name, endpoint, handle } of settings.operations) server.route(routeOf(name, endpoint, handle, settings))
  refuseOtherMethods(server, settings)
  return server
}

const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const allowedHeaders =
  'authorization, content-type, idempotency-key, x-post-revision, if-match, x-upload-target-key, payment-signature, sign-in-with-x, access-control-expose-headers'
const exposedHeaders = 'x-request-id, retry-after, payment-required, payment-response, x-idempotency-replay'

/** Decisions §2: a known address answers other methods with 405 and `Allow`; OPTIONS tells browsers what they may send. */
function refuseOtherMethods(server: FastifyInstance, settings: ServeSettings): void {
  const byPath = new Map<string, Endpoint[]>()
  for (const { endpoint } of settings.operations)
    byPath.set(endpoint.path, [...(byPath.get(endpoint.path) ?? []), endpoint])
  for (const [path, endpoints] of byPath) {
    const methods = new Set<string>(endpoints.map((endpoint) => endpoint.method))
    if (methods.has('GET')) methods.add('HEAD')
    const allow = [...methods, 'OPTIONS'].join(', ')
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
    const endpoint = endpoints[0]!
    server.options(url, { config: { operation: 'options', endpoint } }, (_request, reply) =>
      reply
        .code(204)
        .headers({
          allow,
          'access-control-allow-methods': allow,
          'access-control-allow-headers': allowedHeaders,
          'access-control-expose-headers': exposedHeaders,
          'access-control-max-age': '86400',
        })
        .send(),
    )
    server.route({
      method: knownMethods.filter((method) => !methods.has(method) && method !== 'OPTIONS'),
      url,
      config: { operation: 'method-not-allowed', endpoint },
      // Before the body is read: it is of no interest.
      onRequest: (_request, reply) => {
        reply.header('allow', allow)
        refuse(methodNotAllowed)
      },
      handler: () => refuse(methodNotAllowed),
    })
  }
}

function fail(settings: ServeSettings, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { operation = 'unknown', endpoint } = request.routeOptions?.config ?? {}
  const { refused, bug } = refusedBy(error)
  if (bug) {
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error)
    settings.log.error({ requestId: request.id, operation, cause }, 'a request failed')
    settings.onBug(operation, error)
  } else if (endpoint && !refusalsOf(endpoint).includes(refused.refusal) && refused.refusal !== methodNotAllowed) {
    settings.log.error({ requestId: request.id, operation, code: refused.refusal.code }, 'an undeclared refusal')
    settings.onBug(operation, new Error(`${operation} refused with ${refused.refusal.code}, which it does not declare`))
  }
  const context: RenderContext = {
    family: endpoint?.errors ?? familyOfUnknownPath(request.url),
    origin: settings.origins.of(request.headers.host),
    requestId: request.id,
    retryInBody: endpoint?.retryHint === 'body',
  }
  const { status, headers, contentType, body } = renderRefusal(refused, context)
  reply.code(status).headers(headers).header('content-type', contentType)
  reply.header('cache-control', 'no-store').header('x-request-id', request.id).send(body)
}

const quietOperations = new Set(['getHealth', 'getReadiness', 'getMetrics'])

/** Counts and logs each answer. The counter of an operation and status is looked up once, not for each request. */
function recorder({ log, metrics }: ServeSettings): (request: FastifyRequest, reply: FastifyReply) => void {
  const timers = new Map<string, Map<number, { observe(seconds: number): void }>>()
  const timerOf = (operation: string, status: number) => {
    const known = timers.get(operation)?.get(status)
    if (known) return known
    const timer = metrics.requestSeconds.labels(operation, String(status))
    timers.set(operation, (timers.get(operation) ?? new Map()).set(status, timer))
    return timer
  }
  return (request, reply) => {
    const { operation = 'unknown' } = request.routeOptions.config
    const milliseconds = reply.elapsedTime
    const status = reply.statusCode
    timerOf(operation, status).observe(milliseconds / 1000)
    if (quietOperations.has(operation)) return
    const ms = Math.round(milliseconds * 10) / 10
    const caller = request.caller?.kind ?? 'none'
    // The operation's name, never the URL: a URL may hold a gift token or an address.
    log.info({ requestId: request.id, operation, method: request.method, status, ms, caller }, 'request')
  }
}

// No request could be made of these bytes, so no route, family or request id is known.
function answerUnreadableRequest(error: Error & { code?: string }, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const refusal = error.code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge : invalidRequest
  const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : refusal.status
  const requestId = randomUUID()
  const body = JSON.stringify({
    type: 'about:blank',
    title: refusal.title,
    status,
    detail: refusal.title,
    code: refusal.code,
    requestId,
  })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/problem+json\r\nX-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
