import type { Readable } from 'node:stream'
import type { Callers, Credential } from '@pennypost/contract/credential'
import { credentialsOf, type Endpoint, type Visit } from '@pennypost/contract/endpoint'
import { temporarilyUnavailable } from '@pennypost/contract/errors'
import type { Limit } from '@pennypost/contract/limit'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Clock } from '../clock.ts'
import { QueueFull } from '../fair-queue.ts'
import { enforceLimit, enforceLimitOfIp } from '../limits/enforce-limit.ts'
import type { RateLimiter } from '../limits/rate-limiter.ts'
import { anonymous, authenticate } from './authenticate.ts'
import { clientAddress, customerNetwork } from './client-address.ts'
import type { ConcurrencyLimit, LimitedClient } from './concurrency-limit.ts'
import type { GiveWay } from './give-way.ts'
import type { Authenticators } from './handler.ts'
import type { InvalidBodies } from './invalid-bodies.ts'
import type { Origins } from './origins.ts'
import { type Pace, pacedBody } from './paced-body.ts'
import { Refused } from './refuse.ts'
import { type ReplyValue, replyWriter } from './reply-writer.ts'
import { bodyLimit, type RequestParts, requestReader } from './request-reader.ts'
import { type FinalizerFor, inTraceOf } from './response-finalizer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the credential was checked, and for endpoints that need none. */
    caller: Callers[Credential] | null
    /** An endpoint at this path, for a request with a method that the path does not support. */
    matchedEndpoint: Endpoint | null
  }
  interface FastifyContextConfig {
    operation?: string
    endpoint?: Endpoint
  }
}

export interface RouteSettings {
  readonly authenticators: Authenticators
  readonly rateLimiter: RateLimiter
  readonly clock: Clock
  readonly origins: Origins
  readonly temporaryFolder: string
  /** The last step of every reply: headers, metrics, log. */
  readonly finalizerFor: FinalizerFor
  /** Validates every reply against its schema. For tests; in production the types and the serializer are enough. */
  readonly checkReplies: boolean
}

/** The settings, and the parts that a server shares among all of its routes. */
export interface FullRouteSettings extends RouteSettings {
  readonly invalidBodies: InvalidBodies
  readonly concurrency: ConcurrencyLimit
  readonly paymentConcurrency: ConcurrencyLimit
  readonly giveWay: GiveWay
  readonly uploadsGiveWay: GiveWay
}

export type BoundHandler = (call: RequestCall) => Promise<ReplyValue>

/** The call that a handler gets. `ip`, `visit`, `hasLeft` and `origin` are computed only when used, which is rare. */
class RequestCall {
  readonly params: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly idempotencyKey: string | undefined
  readonly body: unknown
  readonly caller: Callers[Credential]
  readonly #request: FastifyRequest
  readonly #origins: Origins
  #ip: string | undefined

  constructor(given: RequestParts, body: unknown, request: FastifyRequest, origins: Origins) {
    this.params = given.params
    this.query = given.query
    this.headers = given.headers
    this.idempotencyKey = given.idempotencyKey
    this.body = body
    this.caller = request.caller ?? anonymous
    this.#request = request
    this.#origins = origins
  }

  /** Looked up once: behind a proxy, the addresses of all proxies are checked for it. */
  get ip(): string {
    this.#ip ??= this.#request.ip
    return this.#ip
  }

  get visit(): Visit {
    const { 'user-agent': userAgent, referer: referrer, cookie } = this.#request.headers
    return { userAgent, referrer, cookie }
  }

  /** Whether the client is signed in. It must see what it has just written, so it does not read from a replica. */
  get hasCredential(): boolean {
    const { authorization, cookie } = this.#request.headers
    return authorization !== undefined || cookie !== undefined
  }

  get hasLeft(): () => boolean {
    const { socket } = this.#request.raw
    return () => socket.destroyed
  }

  get origin(): string {
    return this.#origins.of(this.#request.headers.host)
  }
}

/** The route of an endpoint. Its steps are: credential, body, validation, rate limits, handler, reply. */
export function routeOf(
  operation: string,
  endpoint: Endpoint,
  handle: BoundHandler,
  settings: FullRouteSettings,
): RouteOptions {
  const reader = requestReader(endpoint, settings.temporaryFolder)
  const write = replyWriter(endpoint, settings.finalizerFor(operation), settings.checkReplies)
  const { limits } = endpoint
  const isStream =
    endpoint.request?.body !== undefined && 'kind' in endpoint.request.body && endpoint.request.body.kind === 'stream'
  const kinds = credentialsOf(endpoint)
  const isPublic = kinds.every((kind) => kind === 'none')
  const takesPayments = endpoint.request?.headers !== undefined && 'payment-signature' in endpoint.request.headers.shape

  // Only endpoints that allow large bodies can cost much. The others refuse large bodies unread.
  const checkBody = (request: FastifyRequest): void => {
    if (endpoint.maxBodyBytes !== undefined) settings.invalidBodies.check(request)
    reader.checkContent(request)
  }
  const authenticateRequest = async (request: FastifyRequest): Promise<void> => {
    const wanted = { operation, path: endpoint.path, kinds }
    request.caller = await inTraceOf(request.raw, () => authenticate(request, wanted, settings))
    checkBody(request)
  }
  const checkPublicRequest = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    try {
      checkBody(request)
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  // Not async, and chained to the handler's promise: every additional promise would slow down every request.
  const serve = (request: FastifyRequest, reply: FastifyReply): void => {
    const given = reader.read(request)
    const body = isStream ? pacedBody(given.body as Readable, paceOf(request, settings)) : given.body
    const call = new RequestCall(given, body, request, settings.origins)
    const run = () =>
      (limits ? enforceLimits(limits, request, settings).then(() => handle(call)) : handle(call))
        .then((value) => write(request, reply, value))
        .catch((error: unknown) => void reply.send(error))
    const start = () => inTraceOf(request.raw, run)
    const client = () => clientOf({ ip: call.ip, raw: request.raw }, reply)
    if (endpoint.isProbe) void start()
    else if (takesPayments && request.headers['payment-signature'] !== undefined)
      settings.paymentConcurrency.run(client(), start)
    else if (isRead(request))
      settings.concurrency.run({ ...client(), sharedKey: sharedKeyOf(endpoint, request) }, start)
    else if (endpoint.givesWay) giveWay(request, reply, start, settings, bodyLimit(endpoint))
    else void start()
  }
  const receiveForm = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const given = reader.read(request)
    if (limits) await enforceLimits(limits, request, settings)
    const form = await reader.receiveForm!(request, paceOf(request, settings))
    try {
      await write(request, reply, await handle(new RequestCall(given, form.body, request, settings.origins)))
      return reply
    } finally {
      await form.discard()
    }
  }
  const serveForm = (request: FastifyRequest, reply: FastifyReply) =>
    inTraceOf(request.raw, () => receiveForm(request, reply))

  return {
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation, endpoint },
    bodyLimit: bodyLimit(endpoint),
    // A public endpoint has no credential to check, and a read has no body.
    ...(!isPublic
      ? { onRequest: authenticateRequest }
      : endpoint.method !== 'GET' && { onRequest: checkPublicRequest }),
    handler: reader.receiveForm ? serveForm : serve,
  }
}

const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'

export const clientOf = (
  { ip, raw: { socket } }: Pick<FastifyRequest, 'ip' | 'raw'>,
  reply: FastifyReply,
): LimitedClient => ({
  ip,
  hasLeft: () => socket.destroyed,
  reject: (because) => void reply.send(because === 'own' ? tooManyWait : overloaded),
})

const sharedKeyOf = ({ sharesWork }: Endpoint, { url }: FastifyRequest): string | undefined =>
  sharesWork === 'always' || (sharesWork === 'without-query' && !url.includes('?')) ? url : undefined

function giveWay(
  request: FastifyRequest,
  reply: FastifyReply,
  start: () => Promise<void>,
  settings: FullRouteSettings,
  maxBytes: number,
): void {
  const owner = accountOf(request) ?? clientAddress(request.ip)
  const { hasLeft } = clientOf(request, reply)
  // A chunked body may have had any length up to the limit.
  const bodyBytes = Number(request.headers['content-length'] ?? maxBytes)
  const task = async () => void (hasLeft() || (await start()))
  settings
    .giveWay(owner, bodyBytes, task, customerNetwork(request.ip))
    .catch((error: unknown) => void reply.send(refusalOf(error)))
}

/** Makes an upload give way with each of its pieces, so that many uploads do not slow down readers. */
function paceOf(request: FastifyRequest, { uploadsGiveWay }: FullRouteSettings): Pace {
  const owner = accountOf(request) ?? clientAddress(request.ip)
  const network = customerNetwork(request.ip)
  return (bytes, work) =>
    uploadsGiveWay(owner, bytes, work, network).catch((error: unknown) => {
      throw refusalOf(error)
    })
}

const refusalOf = (error: unknown): unknown =>
  error instanceof QueueFull ? (error.ofOwner ? tooManyWait : overloaded) : error

const accountOf = ({ caller }: FastifyRequest): string | undefined =>
  caller && 'accountId' in caller ? caller.accountId : undefined

const tooManyWait = new Refused(
  temporarilyUnavailable,
  {},
  { detail: 'Too many of your requests are waiting for a reply.', retryAfterSeconds: 1 },
)

const overloaded = new Refused(
  temporarilyUnavailable,
  {},
  { detail: 'This service has more requests than it can serve right now.', retryAfterSeconds: 2 },
)

/** Applies rate limits. Called after validation, so that invalid requests do not count. */
async function enforceLimits(
  limits: readonly Limit[],
  request: FastifyRequest,
  settings: RouteSettings,
): Promise<void> {
  const account = accountOf(request)
  for (const limit of limits) {
    if (limit.per === 'ip' || account === undefined) await enforceLimitOfIp(settings, limit, request.ip)
    else await enforceLimit(settings, limit, account)
  }
}
