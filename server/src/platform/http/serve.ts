import { parse } from 'node:querystring'
import multipart from '@fastify/multipart'
import type { Contract, Endpoint } from '@pennypost/contract/endpoint'
import {
  familyOfUnknownPath,
  methodNotAllowed,
  notFound,
  refusalsOf,
  temporarilyUnavailable,
} from '@pennypost/contract/errors'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Replica } from '../database/replica.ts'
import type { Log } from '../log.ts'
import { cacheControl } from './cache-control.ts'
import { connectionCloser } from './close-connections.ts'
import { type ConcurrencyLimit, createConcurrencyLimit, createPaymentLimit } from './concurrency-limit.ts'
import { limitConnections } from './connection-limit.ts'
import { type ContractPath, contractPathFinder, contractPaths } from './contract-paths.ts'
import type { CorsHeaders } from './cors.ts'
import { refusalOfError } from './error-refusal.ts'
import { createGiveWay, createUploadsGiveWay, type GiveWay } from './give-way.ts'
import { countInvalidBodies } from './invalid-bodies.ts'
import { lingeringReply } from './lingering-reply.ts'
import type { CreateLayout } from './page.ts'
import { parseJsonBody } from './parse-json-body.ts'
import { refuse } from './refuse.ts'
import { type RenderContext, renderRefusal } from './render-refusal.ts'
import { replyToClientError } from './reply-to-client-error.ts'
import { startRequest } from './response-finalizer.ts'
import { type BoundHandler, clientOf, type FullRouteSettings, type RouteSettings, routeOf } from './route.ts'
import { serveOneAtATime } from './serve-one-at-a-time.ts'

export interface ServeSettings extends RouteSettings {
  readonly operations: readonly { readonly name: string; readonly endpoint: Endpoint; readonly handle: BoundHandler }[]
  readonly trustProxy: readonly string[]
  readonly connectionsPerAddress: number
  /** After how long a silent connection is closed. Two minutes, unless a test sets it. */
  readonly quietConnectionMs?: number
  /** How long the rest of a refused body is read and dropped. Twenty seconds, unless a test sets it. */
  readonly lingerMs?: number
  readonly cors: CorsHeaders
  readonly log: Log
  /** The layout of refusals that are pages. */
  readonly createLayout: CreateLayout
  /** Called for a refusal that its endpoint does not declare and for any unexpected error. Tests fail on it. */
  readonly onBug: (operation: string, cause: unknown) => void
  /** The new path of a page that has moved, for a path that no route has. */
  readonly findRedirect?: (path: string) => Promise<string | undefined>
  /** By default made for this machine; only tests pass their own. */
  readonly concurrency?: ConcurrencyLimit
  readonly uploadsGiveWay?: GiveWay
  /** Every refusal. Tests collect them: each one that is declared has to be reached by a test. */
  readonly onRefusal?: (operation: string, code: string) => void
}

/** Pairs each operation of a contract with its handler. */
export function bind<C extends Contract, Services>(
  contract: C,
  handlers: { readonly [Name in keyof C]: (services: Services, call: never) => Promise<unknown> },
  services: Services,
  reading?: ReplicaServices<Services>,
): ServeSettings['operations'] {
  return Object.entries(contract).map(([name, endpoint]) => {
    const run = handlers[name]!
    const handle = ((call) => run(services, call as never)) as BoundHandler
    if (!reading || !endpoint.fromReplica) return { name, endpoint, handle }
    const { replica } = reading
    const fromReplica = ((call) => run(reading.services, call as never)) as BoundHandler
    const choose: BoundHandler = (call) =>
      call.hasCredential || (endpoint.fromReplica === 'without-query' && hasQuery(call)) || !replica.isFresh()
        ? handle(call)
        : replica.read(
            () => fromReplica(call),
            () => handle(call),
          )
    return { name, endpoint, handle: choose }
  })
}

const hasQuery = ({ query }: Parameters<BoundHandler>[0]): boolean => Object.keys(query as object).length > 0

/** The services for reads that may use a replica of the database. */
export interface ReplicaServices<Services> {
  readonly replica: Pick<Replica, 'isFresh' | 'read'>
  readonly services: Services
}

type FullSettings = ServeSettings & FullRouteSettings

/**
 * How long a connection may be silent before it is closed, for example because the client does not read its reply. Streams
 * send something every 15 s.
 */
const quietConnectionMs = 120_000
const lingerMs = 20_000

/** An HTTP server for the operations of a contract. */
export async function createServer(given: ServeSettings): Promise<FastifyInstance> {
  const concurrency = given.concurrency ?? createConcurrencyLimit()
  const settings: FullSettings = {
    ...given,
    invalidBodies: countInvalidBodies(given),
    concurrency,
    paymentConcurrency: createPaymentLimit(),
    giveWay: createGiveWay(concurrency),
    uploadsGiveWay: given.uploadsGiveWay ?? createUploadsGiveWay(concurrency),
  }
  const server = fastify({
    logger: false,
    trustProxy: settings.trustProxy.length > 0 ? [...settings.trustProxy] : false,
    genReqId: startRequest,
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: false },
    requestTimeout: 60_000,
    connectionTimeout: settings.quietConnectionMs ?? quietConnectionMs,
    // While stopping, requests on open connections still get a reply; then the connection closes.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => fail(settings, error, request, reply as FastifyReply),
    clientErrorHandler: replyToClientError,
    // We reply to requests without a Host header like to any other.
    http: { requireHostHeader: false },
  })
  // Node would reply to an unknown `Expect` with 417 and nothing else. We ignore it, which HTTP allows.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response))
  serveOneAtATime(server.server)
  limitConnections(server.server, { max: settings.connectionsPerAddress, trustProxy: settings.trustProxy })
  const closeConnections = connectionCloser(server.server)
  server.addHook('preClose', async () => closeConnections())
  server.decorateRequest('caller', null)
  server.decorateRequest('matchedEndpoint', null)
  addBodyParsers(server)
  server.setErrorHandler((error, request, reply) => fail(settings, error, request, reply))

  await addRoutes(server, settings)
  const paths = contractPaths(settings.operations.map(({ endpoint }) => endpoint))
  refuseTakenMethods(server, paths)
  await server.register(async (scope) => {
    scope.addHook('onRequest', refuseUnrouted(settings, paths))
    scope.setNotFoundHandler(() => refuse(notFound))
  })
  return server
}

/** Parses the bodies that operations take. Any other media type is refused. */
function addBodyParsers(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, parseJsonBody(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
    done(null, parse(text as string)),
  )
  server.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
}

type Operation = ServeSettings['operations'][number]

const isForm = ({ endpoint }: Operation): boolean => {
  const body = endpoint.request?.body
  return body !== undefined && 'kind' in body && body.kind === 'multipart'
}

const ignoresBody = ({ endpoint }: Operation): boolean => endpoint.ignoresBody === true

/** Adds a route for each operation. Those that parse their body in another way than most are in separate scopes. */
async function addRoutes(server: FastifyInstance, settings: FullSettings): Promise<void> {
  const { operations } = settings
  for (const { name, endpoint, handle } of operations.filter((each) => !isForm(each) && !ignoresBody(each))) {
    server.route(routeOf(name, endpoint, handle, settings))
  }
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _bytes, done) => done(null, undefined))
    for (const { name, endpoint, handle } of operations.filter(ignoresBody))
      scope.route(routeOf(name, endpoint, handle, settings))
  })
  // In a separate scope, because the multipart plugin adds hooks to every request of its scope.
  await server.register(async (scope) => {
    await scope.register(multipart, { throwFileSizeLimit: true })
    for (const { name, endpoint, handle } of operations.filter(isForm))
      scope.route(routeOf(name, endpoint, handle, settings))
  })
}

const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * Replies to requests that have no route. A known path replies to OPTIONS with what browsers may send (CORS), and to other
 * methods with 405 and `Allow`. The body is not read: nothing needs it.
 */
function refuseUnrouted(settings: FullSettings, paths: readonly ContractPath[]) {
  const findPath = contractPathFinder(paths)
  const finalize = settings.finalizerFor('options')
  const finalizeRedirect = settings.finalizerFor('redirect')
  const redirect = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const location = isRead ? await settings.findRedirect?.(request.url.split(/[?#]/, 1)[0]!) : undefined
    if (location === undefined) refuse(notFound)
    reply.code(301).headers({ location, 'cache-control': 'public, max-age=3600' })
    finalizeRedirect(request, reply)
    reply.send()
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const path = findPath(request.url)
    // Replying with a 404 page takes work too, so these requests are limited like other reads.
    if (!path)
      return new Promise((resolve, reject) => {
        settings.concurrency.run(clientOf(request, reply), () => redirect(request, reply).then(resolve, reject))
      })
    if (request.method !== 'OPTIONS') {
      request.matchedEndpoint = path.endpoint
      reply.header('allow', path.allow)
      refuse(methodNotAllowed)
    }
    reply.code(204).headers({
      allow: path.allow,
      'access-control-allow-methods': path.allow,
      'access-control-allow-headers': settings.cors.allowed,
      'access-control-max-age': '86400',
    })
    finalize(request, reply)
    reply.send()
  }
}

/** Refuses methods of a path that would otherwise reach a more general path: GET of `/items/new`, if `/items/{id}` has a GET. */
function refuseTakenMethods(server: FastifyInstance, paths: readonly ContractPath[]): void {
  const general = paths.filter(({ path }) => path.includes('{'))
  for (const { path, methods, allow, endpoint } of paths) {
    const others = general.filter(({ pattern }) => pattern.test(path))
    const isTaken = (method: string) => !methods.has(method) && others.some((other) => other.methods.has(method))
    const refused = knownMethods.filter(isTaken)
    if (refused.length === 0) continue
    const refuseMethod = (_request: FastifyRequest, reply: FastifyReply) => {
      reply.header('allow', allow)
      return refuse(methodNotAllowed)
    }
    server.route({
      method: refused,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operation: 'method-not-allowed', endpoint },
      onRequest: refuseMethod,
      handler: refuseMethod,
    })
  }
}

/** Refusals are never cached; those of owner routes are also private. */
const refusalCache = (endpoint: Endpoint | undefined): string =>
  endpoint && cacheControl(endpoint).startsWith('private') ? 'private, no-store' : 'no-store'

/** Tells a program how to sign in a person, and whether the token that it sent is no longer valid (RFC 6750). */
function challengeOf(path: string, request: FastifyRequest, { origins }: FullSettings): string {
  const invalid = request.headers.authorization === undefined ? '' : 'error="invalid_token", '
  return `Bearer ${invalid}resource_metadata="${origins.of(request.headers.host)}${path}"`
}

/** The status in logs and metrics of a request whose client left. Nobody receives it; the number is nginx's. */
const clientLeft = 499

/** Whether the connection ended in the middle of the body. What fails then is not a bug. */
const hasClientLeft = ({ raw }: FastifyRequest): boolean => raw.destroyed && raw.complete === false

function fail(settings: FullSettings, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { matchedEndpoint } = request
  const { operation = matchedEndpoint ? 'method-not-allowed' : 'unknown', endpoint = matchedEndpoint ?? undefined } =
    request.routeOptions?.config ?? {}
  if (hasClientLeft(request)) {
    settings.log.info({ requestId: request.id, operation }, 'the client left before its request was complete')
    reply.code(clientLeft)
    settings.finalizerFor(operation)(request, reply)
    return void reply.send()
  }
  const { refused, bug } = refusalOfError(error)
  settings.onRefusal?.(operation, refused.refusal.code)
  if (endpoint?.maxBodyBytes !== undefined)
    settings.invalidBodies
      .count(request, refused.refusal)
      .catch((cause: Error) => settings.log.warn({ cause: cause.message }, 'an invalid body was not counted'))
  if (bug) {
    const cause = error instanceof Error ? (error.stack ?? error.message) : String(error)
    settings.log.error({ requestId: request.id, operation, cause }, 'unexpected error in a request')
    settings.onBug(operation, error)
  } else if (refused.refusal === temporarilyUnavailable && error !== refused) {
    const cause = error instanceof Error ? error.message : String(error)
    settings.log.warn({ requestId: request.id, operation, cause }, 'something that a request needs was not available')
  } else if (endpoint && !refusalsOf(endpoint).includes(refused.refusal) && refused.refusal !== methodNotAllowed) {
    settings.log.error(
      { requestId: request.id, operation, code: refused.refusal.code },
      'refusal that the endpoint does not declare',
    )
    settings.onBug(operation, new Error(`${operation} refused with ${refused.refusal.code}, which it does not declare`))
  }
  const context: RenderContext = {
    family: endpoint?.errors ?? familyOfUnknownPath(request.url, request.headers.accept),
    origin: settings.origins.of(request.headers.host),
    requestId: request.id,
    retryInBody: endpoint?.retryHint === 'body',
    challenge: endpoint?.resourceMetadata && challengeOf(endpoint.resourceMetadata, request, settings),
    createLayout: settings.createLayout,
  }
  const { status, headers, contentType, body } = renderRefusal(refused, context)
  reply
    .code(status)
    .headers(headers)
    .header('content-type', contentType)
    .header('content-length', Buffer.byteLength(body))
    .header('cache-control', refusalCache(endpoint))
  settings.finalizerFor(operation)(request, reply)
  reply.send(lingeringReply(body, request.raw, settings.lingerMs ?? lingerMs))
}
