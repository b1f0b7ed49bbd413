import { type Endpoint, EventStream, type ReplyBody, Written } from '@pennypost/contract/endpoint'
import { jsonSchema } from '@pennypost/contract/json-schema'
import fastJson from 'fast-json-stringify'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { cacheControl } from './cache-control.ts'
import { isNotModified } from './conditional-request.ts'
import { cachedReply, contentCodingFor } from './reply-cache.ts'
import type { ResponseFinalizer } from './response-finalizer.ts'

export interface ReplyValue {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/**
 * Writes an endpoint's replies, with one serializer per status. Fields that the contract does not declare are dropped. A
 * promise resolves when the reply is handed over, not when the client has read it, which may take hours.
 */
export function replyWriter(
  endpoint: Endpoint,
  finalize: ResponseFinalizer,
  checkReplies: boolean,
): (request: FastifyRequest, reply: FastifyReply, value: ReplyValue) => void | Promise<void> {
  const cache = cacheControl(endpoint)
  const writers = new Map(
    Object.entries(endpoint.replies).map(([status, body]) => [Number(status), bodyWriter(body, checkReplies)]),
  )
  return (request, reply, value) => {
    const write = writers.get(value.status)
    if (!write) throw new Error(`status ${value.status} is not declared`)
    const isHeld = endpoint.conditional === true && isNotModified(request.headers, value.headers ?? {})
    const isCompressible = endpoint.compressed === true && isPublic(value)
    const coding = isCompressible && !isHeld ? contentCodingFor(request.headers['accept-encoding']) : undefined
    const finish = (body: unknown): void => {
      reply.code(isHeld ? 304 : value.status)
      reply.header('cache-control', cache)
      finalize(request, reply)
      if (value.headers) reply.headers(value.headers)
      if (isCompressible) reply.header('vary', [value.headers?.vary, 'Accept-Encoding'].filter(Boolean).join(', '))
      if (coding) reply.header('content-encoding', coding)
      if (isHeld) reply.send()
      else write(reply, body)
    }
    const make = () => (typeof value.body === 'function' ? value.body() : value.body)
    const makeContent = () => (value.body instanceof Written ? value.body.text : make())
    // Before `finish`: if making the body fails, an error is sent instead.
    const isMadeOnDemand = typeof value.body === 'function' && !isHeld
    if (coding || (isCompressible && isMadeOnDemand))
      return cachedReply(coding ?? 'identity', value.headers!.etag!, makeContent).then(finish)
    if (isMadeOnDemand) return Promise.resolve(make()).then(finish)
    return finish(value.body)
  }
}

/**
 * Whether a reply is the same for everyone and has an ETag. Personal replies are not compressed: if a secret is compressed
 * together with text that an attacker chose, the compressed size reveals it (the BREACH attack).
 */
const isPublic = ({ status, headers }: ReplyValue): boolean =>
  status === 200 && headers?.etag !== undefined && headers['cache-control'] === undefined

// Tells proxies not to buffer the stream, or events would not arrive.
const eventStreamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }

type JsonWriter = (value: unknown) => string

export const compileJsonWriter = (schema: z.ZodType): JsonWriter =>
  fastJson(jsonSchema(schema, 'draft-7') as unknown as fastJson.Schema) as JsonWriter

const compiled = new WeakMap<z.ZodType, JsonWriter>()

/** Serializes the fields that a schema declares and drops the rest. Compiled on first use, because it is slow. */
export const jsonWriter =
  (schema: z.ZodType): JsonWriter =>
  (value) => {
    let write = compiled.get(schema)
    if (!write) {
      write = compileJsonWriter(schema)
      compiled.set(schema, write)
    }
    return write(value)
  }

function bodyWriter(body: ReplyBody, checkReplies: boolean): (reply: FastifyReply, value: unknown) => void {
  if (!('kind' in body)) {
    const stringify = jsonWriter(body)
    return (reply, value) => {
      if (value instanceof EventStream) {
        reply.headers(eventStreamHeaders)
        if (reply.request.method !== 'HEAD') return reply.send(value.text)
        // Nobody reads it, so nothing would ever end it.
        value.text.destroy()
        return reply.send()
      }
      reply.header('content-type', 'application/json; charset=utf-8')
      // Already compressed.
      if (value instanceof Uint8Array) return reply.send(value)
      const isWritten = value instanceof Written
      if (checkReplies) body.parse(isWritten ? JSON.parse(value.text) : value)
      return reply.send(isWritten ? value.send() : stringify(value))
    }
  }
  if (body.kind === 'nothing') return (reply) => reply.send()
  return (reply, value) => {
    if (!reply.hasHeader('content-type')) reply.header('content-type', body.contentType)
    return reply.send(value)
  }
}
