import type { Callers, Credential } from '@pennypost/contract/credential'
import { credentialsOf, type Endpoint } from '@pennypost/contract/endpoint'
import { rateLimited, unauthorized } from '@pennypost/contract/errors'
import type { Limit } from '@pennypost/contract/limit'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Clock } from '../clock.ts'
import type { Counters } from '../limits/counters.ts'
import { clientAddress } from './client-address.ts'
import type { Authenticators } from './handler.ts'
import type { Origins } from './origins.ts'
import { refuse } from './refuse.ts'
import { type ReplyValue, replyWriter } from './reply-writer.ts'
import { bodyLimit, requestReader } from './request-reader.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until a credential was checked, and where none is asked for. */
    caller: Callers[Credential] | null
  }
  interface FastifyContextConfig {
    operation?: string
    endpoint?: Endpoint
  }
}

export interface RouteSettings {
  readonly authenticators: Authenticators
  readonly counters: Counters
  readonly clock: Clock
  readonly origins: Origins
  readonly temporaryFolder: string
  /** Tests check every reply against its schema; in service the types and the serializer do. */
  readonly checkReplies: boolean
}

export type BoundHandler = (call: Record<string, unknown>) => Promise<ReplyValue>

const anonymous = Object.freeze({ kind: 'none' }) satisfies Callers['none']

/** The path of a request through an endpoint: limits, credential, body, validation, handler, reply. */
export function routeOf(
  operation: string,
  endpoint: Endpoint,
  handle: BoundHandler,
  settings: RouteSettings,
): RouteOptions {
  const reader = requestReader(endpoint, settings.temporaryFolder)
  const write = replyWriter(endpoint, settings.checkReplies)
  const { limits } = endpoint
  const kinds = credentialsOf(endpoint)
  const isPublic = kinds.every((kind) => kind === 'none')

  const admit = async (request: FastifyRequest): Promise<void> => {
    request.caller = await authenticate(request, kinds, settings.authenticators)
    reader.checkContent(request)
  }
  const admitPublic = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    try {
      reader.checkContent(request)
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  const answer = async (request: FastifyRequest, reply: FastifyReply, form?: unknown): Promise<FastifyReply> => {
    const given = reader.read(request)
    if (limits) await takeLimits(limits, request, settings)
    const value = await handle({
      ...given,
      ...(form !== undefined && { body: form }),
      caller: request.caller ?? anonymous,
      ip: request.ip,
      origin: settings.origins.of(request.headers.host),
    })
    return write(reply, value)
  }
  const answerForm = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const form = await reader.receiveForm!(request)
    try {
      return await answer(request, reply, form.body)
    } finally {
      await form.discard()
    }
  }

  return {
    method: endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation, endpoint },
    bodyLimit: bodyLimit(endpoint),
    // A public endpoint has nothing to wait for.
    onRequest: isPublic ? admitPublic : admit,
    handler: reader.receiveForm ? answerForm : (request, reply) => answer(request, reply),
  }
}

/** Taken by requests that are valid: a mistake in the form costs nobody their budget. */
async function takeLimits(
  limits: readonly Limit[],
  request: FastifyRequest,
  { counters, clock }: RouteSettings,
): Promise<void> {
  const address = clientAddress(request.ip)
  const account = request.caller && request.caller.kind !== 'none' ? request.caller.accountId : undefined
  for (const limit of limits) {
    const subject = limit.per === 'ip' ? address : (account ?? address)
    const { allowed, retryAfterSeconds } = await counters.take(limit, subject, clock.now())
    if (!allowed) refuse(rateLimited, {}, { retryAfterSeconds })
  }
}

async function authenticate(
  request: FastifyRequest,
  kinds: readonly Credential[],
  authenticators: Authenticators,
): Promise<Callers[Credential]> {
  const header = request.headers.authorization
  // §5.3: an invalid explicit header fails; it never falls back to being nobody.
  if (header === undefined) return kinds.includes('none') ? anonymous : refuse(unauthorized)
  const token = /^bearer ([\x21-\x7e]+)$/i.exec(header)?.[1]
  if (token === undefined || isRepeated(request, 'authorization')) return refuse(unauthorized)
  for (const kind of kinds) {
    const caller = kind === 'none' ? undefined : await authenticators[kind](token)
    if (caller) return caller
  }
  return refuse(unauthorized)
}

// Node keeps the first of two and says nothing; a second credential is a request that disagrees with itself.
function isRepeated(request: FastifyRequest, name: string): boolean {
  const { rawHeaders } = request.raw
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) if (rawHeaders[index]!.toLowerCase() === name) seen += 1
  return seen > 1
}
