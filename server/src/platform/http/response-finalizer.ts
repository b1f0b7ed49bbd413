import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../log.ts'
import type { LatencyHistogram } from './latency-histogram.ts'

// What every answer carries, and the note that it was given. One call for each answer instead of hooks around each
// request: hooks cost a listener and a turn of their own, which a small read feels.

export type ResponseFinalizer = (request: FastifyRequest, reply: FastifyReply) => void

/** The seal of one operation's answers. */
export type FinalizerFor = (operation: string) => ResponseFinalizer

const began = Symbol('began')

/** Names a request, and notes when it came: the first thing that happens to it. */
export function startRequest(raw: IncomingMessage): string {
  ;(raw as IncomingMessage & { [began]?: number })[began] = performance.now()
  return randomUUID()
}

const exposedHeaders =
  'x-request-id, retry-after, payment-required, payment-response, x-idempotency-replay, ai-disclosure'

export const createResponseFinalizer =
  (log: Log, times: LatencyHistogram): FinalizerFor =>
  (operation) => {
    const timesOf = times.of(operation)
    const writesReads = log.isLevelEnabled('debug')
    return (request, reply) => {
      reply.header('x-request-id', request.id)
      reply.header('x-content-type-options', 'nosniff')
      if (request.headers.origin !== undefined) {
        reply.header('access-control-allow-origin', '*')
        reply.header('access-control-expose-headers', exposedHeaders)
      }
      const { method } = request.raw
      const status = reply.statusCode
      const milliseconds = performance.now() - ((request.raw as { [began]?: number })[began] ?? 0)
      timesOf(status, milliseconds / 1000)
      // Reads that went well are counted above, and logged only for whoever looks closely: what is written is what
      // changed something or went wrong.
      const isQuiet = status < 400 && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
      if (isQuiet && !writesReads) return
      const ms = Math.round(milliseconds * 10) / 10
      const caller = request.caller?.kind ?? 'none'
      // The operation's name, never the URL: a URL may hold a gift token or an address.
      const line = { requestId: request.id, operation, method, status, ms, caller }
      if (isQuiet) log.debug(line, 'request')
      else log.info(line, 'request')
    }
  }
