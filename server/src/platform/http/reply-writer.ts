import { type Endpoint, Remembered, type ReplyBody } from '@pennypost/contract/endpoint'
import { jsonSchema } from '@pennypost/contract/json-schema'
import fastJson from 'fast-json-stringify'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cacheControl } from './cache-control.ts'
import { isHeldBy } from './conditional.ts'
import type { Seal } from './seal.ts'

export interface ReplyValue {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

/** Writes an endpoint's replies: one compiled serializer for each status, which also drops what the contract does not name. */
export function replyWriter(
  endpoint: Endpoint,
  seal: Seal,
  checkReplies: boolean,
): (request: FastifyRequest, reply: FastifyReply, value: ReplyValue) => FastifyReply | Promise<FastifyReply> {
  const cache = cacheControl(endpoint)
  const writers = new Map(
    Object.entries(endpoint.replies).map(([status, body]) => [Number(status), bodyWriter(body, checkReplies)]),
  )
  return (request, reply, value) => {
    const write = writers.get(value.status)
    if (!write) throw new Error(`status ${value.status} is not declared`)
    const isHeld = endpoint.conditional === true && isHeldBy(request.headers, value.headers ?? {})
    const finish = (body: unknown): FastifyReply => {
      reply.code(isHeld ? 304 : value.status)
      reply.header('cache-control', cache)
      seal(request, reply)
      if (value.headers) reply.headers(value.headers)
      return isHeld ? reply.send() : write(reply, body)
    }
    // Before the seal: making the body may fail, and then another answer is given.
    if (typeof value.body === 'function' && !isHeld) return Promise.resolve(value.body()).then(finish)
    return finish(value.body)
  }
}

function bodyWriter(body: ReplyBody, checkReplies: boolean): (reply: FastifyReply, value: unknown) => FastifyReply {
  if (!('kind' in body)) {
    const stringify = fastJson(jsonSchema(body, 'draft-7') as unknown as fastJson.Schema)
    const write = (value: unknown) => {
      if (checkReplies) body.parse(value)
      return stringify(value)
    }
    return (reply, value) => {
      reply.header('content-type', 'application/json; charset=utf-8')
      if (!(value instanceof Remembered)) return reply.send(write(value))
      value.bytes ??= Buffer.from(write(value.value))
      return reply.send(value.bytes)
    }
  }
  if (body.kind === 'nothing') return (reply) => reply.send()
  return (reply, value) => {
    if (!reply.hasHeader('content-type')) reply.header('content-type', body.contentType)
    return reply.send(value)
  }
}
