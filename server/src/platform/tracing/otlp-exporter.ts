import { buildVersion } from '../build-version.ts'
import type { Log } from '../log.ts'
import { spansTotal } from '../process-metrics.ts'
import type { TracingSettings } from './settings.ts'
import type { Attributes, EndedSpan, SpanSink } from './tracer.ts'

// Sends spans to a collector by OTLP/HTTP with JSON, some hundred at a time. The queue is bounded, so an unreachable or
// slow collector costs spans, never memory or time.

export interface OtlpExporter extends SpanSink {
  /** Sends what is left, for a second at most. */
  close(): Promise<void>
}

export interface ExporterParts extends TracingSettings {
  readonly instance: string
  readonly role: string
  readonly log: Log
  /** For tests, which wait less. */
  readonly everyMs?: number
}

const maxQueued = 4_096
const maxBatch = 512
const usualEveryMs = 1_000
const timeoutMs = 5_000
const closeTimeoutMs = 1_000

export function createOtlpExporter(parts: ExporterParts): OtlpExporter {
  const { endpoint, headers, log, everyMs = usualEveryMs } = parts
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const resource = { attributes: listed(resourceOf(parts)) }
  let queue: EndedSpan[] = []
  let sending: Promise<void> | undefined
  let isAway = false

  async function send(spans: readonly EndedSpan[], limitMs: number): Promise<void> {
    try {
      const scope = { name: 'pennypost', version: buildVersion }
      const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(spanOf) }] }] })
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(limitMs),
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`status ${response.status}`)
      spansTotal.inc({ outcome: 'exported' }, spans.length)
      if (isAway) log.info('the trace collector accepts spans again')
      isAway = false
    } catch (error) {
      spansTotal.inc({ outcome: 'failed' }, spans.length)
      if (!isAway) log.warn({ cause: causeOf(error) }, 'the trace collector does not accept spans; they are dropped')
      isAway = true
    }
  }

  /** One request at a time. Returns when the queue is empty. */
  function flush(limitMs = timeoutMs): Promise<void> {
    sending ??= (async () => {
      while (queue.length > 0) {
        const batch = queue.slice(0, maxBatch)
        queue = queue.slice(maxBatch)
        await send(batch, limitMs)
      }
    })().finally(() => {
      sending = undefined
    })
    return sending
  }

  const timer = setInterval(() => void flush(), everyMs).unref()
  return {
    add(span) {
      if (queue.length >= maxQueued) return void spansTotal.inc({ outcome: 'dropped' })
      queue.push(span)
      if (queue.length >= maxBatch) void flush()
    },
    async close() {
      clearInterval(timer)
      queue = queue.slice(-maxBatch)
      const giveUp = new Promise<void>((resolve) => setTimeout(resolve, closeTimeoutMs).unref())
      await Promise.race([(sending ?? Promise.resolve()).then(() => flush(closeTimeoutMs)), giveUp])
    },
  }
}

const resourceOf = ({ serviceName, instance, role }: ExporterParts): Attributes => ({
  'service.name': serviceName,
  'service.version': buildVersion,
  'service.instance.id': instance,
  'pennypost.role': role,
})

const errorStatus = { code: 2 }

const spanOf = (span: EndedSpan) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
  name: span.name,
  kind: span.kind,
  startTimeUnixNano: nanoseconds(span.startedAt),
  endTimeUnixNano: nanoseconds(span.endedAt),
  attributes: listed(span.attributes),
  ...(span.hasFailed && { status: errorStatus }),
})

/** Whole numbers are texts in OTLP's JSON, because they have 64 bits. */
const listed = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }))

const nanoseconds = (milliseconds: number): string => String(BigInt(Math.round(milliseconds * 1000)) * 1000n)

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
