import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LatencyHistogram } from '../latency-histogram.ts'
import type { Log } from '../log.ts'
import { readTraceContext } from '../tracing/trace-context.ts'
import type { RequestTrace } from '../tracing/tracer.ts'
import { traceRequest } from '../tracing/tracing.ts'

// The last step of every reply: common headers, the latency histogram and the log line. It is a function call instead of
// an onResponse hook, because hooks cost a small read measurable time.

export type ResponseFinalizer = (request: FastifyRequest, reply: FastifyReply) => void

/** Returns the finalizer for one operation. */
export type FinalizerFor = (operation: string) => ResponseFinalizer

const startedAt = Symbol('started at')
const trace = Symbol('trace')

interface StartedRequest extends IncomingMessage {
  [startedAt]?: number
  [trace]?: RequestTrace | undefined
}

/** Records when a request arrived and returns its id. Called before anything else. */
export function startRequest(raw: StartedRequest): string {
  raw[startedAt] = performance.now()
  const traced = traceRequest(raw.headers)
  if (traced) raw[trace] = traced
  return randomUUID()
}

/** Runs the work for a request as part of its trace. */
export function inTraceOf<Result>(raw: IncomingMessage, act: () => Result): Result {
  const traced = (raw as StartedRequest)[trace]
  return traced ? traced.run(act) : act()
}

export interface FinalizerSettings {
  readonly log: Log
  readonly latency: LatencyHistogram
  /** The headers that scripts on other origins may read. */
  readonly exposedHeaders: string
  /** Operations whose replies scripts on other origins may not read. */
  readonly sameOriginOnly: ReadonlySet<string>
  /** Whether the site has HTTPS addresses only. Then browsers are asked to use nothing else for a year. */
  readonly isSecure: boolean
}

export const createResponseFinalizer =
  ({ log, latency, exposedHeaders, sameOriginOnly, isSecure }: FinalizerSettings): FinalizerFor =>
  (operation) => {
    const recordLatency = latency.of(operation)
    const isShared = !sameOriginOnly.has(operation)
    const logsReads = log.isLevelEnabled('debug')
    return (request, reply) => {
      reply.header('x-request-id', request.id)
      reply.header('x-content-type-options', 'nosniff')
      if (isSecure) reply.header('strict-transport-security', 'max-age=31536000')
      // Sent without an `Origin` too: a cache may serve this reply to a request that has one.
      if (isShared) {
        reply.header('access-control-allow-origin', '*')
        reply.header('access-control-expose-headers', exposedHeaders)
      }
      const { method } = request.raw
      const status = reply.statusCode
      const raw: StartedRequest = request.raw
      const milliseconds = performance.now() - (raw[startedAt] ?? 0)
      recordLatency(status, milliseconds / 1000)
      raw[trace]?.end(
        operation,
        { 'http.request.method': method ?? '', 'http.response.status_code': status },
        status >= 500,
      )
      // Successful reads are only counted, unless the log level is debug. What changed something or failed is logged.
      const isQuiet = status < 400 && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
      if (isQuiet && !logsReads) return
      const ms = Math.round(milliseconds * 10) / 10
      const caller = request.caller?.kind ?? 'none'
      // The operation's name, never the URL, which may contain a secret token or an email address.
      const line = { requestId: request.id, ...traceIdOf(raw), operation, method, status, ms, caller }
      if (isQuiet) log.debug(line, 'request')
      else log.info(line, 'request')
    }
  }

/** Even with tracing off, a client that traces can find its requests in our log. */
function traceIdOf(raw: StartedRequest): { traceId?: string } {
  const traceId = raw[trace]?.traceId ?? readTraceContext(raw.headers.traceparent)?.traceId
  return traceId === undefined ? {} : { traceId }
}
