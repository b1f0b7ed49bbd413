import { AsyncLocalStorage } from 'node:async_hooks'
import { randomFillSync } from 'node:crypto'
import type { TracingSettings } from './settings.ts'
import { readTraceContext, type TraceContext, type TraceHeaders, traceHeadersOf } from './trace-context.ts'

/** The numbers that OTLP has for them. */
export const spanKinds = { server: 2, client: 3, consumer: 5 } as const

export type Attributes = Readonly<Record<string, string | number>>

/** A span that has ended. Names and attributes are ours: no URL, no address, nothing of an account. */
export interface EndedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: number
  /** Milliseconds since 1970, with fractions. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Attributes
  readonly hasFailed: boolean
}

/** A call or a query. It has no child spans. */
export interface LeafSpan {
  readonly name: string
  readonly attributes: Attributes
}

export interface RequestTrace {
  readonly traceId: string
  run<Result>(act: () => Result): Result
  end(name: string, attributes: Attributes, hasFailed: boolean): void
}

export interface Tracer {
  startRequest(headers: Readonly<Record<string, unknown>>): RequestTrace
  inJob<Result>(name: string, attempt: number, act: () => Promise<Result>): Promise<Result>
  inSpan<Result>(span: LeafSpan, act: (headers: TraceHeaders) => Promise<Result>): Promise<Result>
  current(): TraceContext | undefined
}

/** Never throws and never waits: what it cannot take is dropped. */
export interface SpanSink {
  add(span: EndedSpan): void
}

// Keeps a job with a million queries from filling the queue.
const maxSpansOfTrace = 300

interface ActiveTrace extends TraceContext {
  readonly parentId: string | undefined
  readonly startedAt: number
  spans: number
}

const now = (): number => performance.timeOrigin + performance.now()

// Filled for many ids at a time: a call for each would take longer than the rest of a span.
const random = Buffer.alloc(4_096)
let used = random.length

function newId(bytes: number): string {
  if (used + bytes > random.length) {
    randomFillSync(random)
    used = 0
  }
  used += bytes
  return random.toString('hex', used - bytes, used)
}

const newSpanId = (): string => newId(8)

export function createTracer({ sampler, sampleRatio }: TracingSettings, sink: SpanSink): Tracer {
  const active = new AsyncLocalStorage<ActiveTrace>()

  // Anyone can send us a `traceparent`, so by default its wish to be recorded does not count: only its id does.
  const isChosen = (parent: TraceContext | undefined): boolean =>
    parent && sampler === 'parentbased_traceidratio' ? parent.isSampled : Math.random() < sampleRatio

  function begin(parent: TraceContext | undefined): ActiveTrace {
    return {
      traceId: parent?.traceId ?? newId(16),
      spanId: newSpanId(),
      parentId: parent?.spanId,
      isSampled: isChosen(parent),
      traceState: parent?.traceState,
      startedAt: now(),
      spans: 0,
    }
  }

  function end(trace: ActiveTrace, kind: number, name: string, attributes: Attributes, hasFailed: boolean): void {
    if (!trace.isSampled) return
    const { traceId, spanId, parentId, startedAt, spans } = trace
    const dropped = Math.max(0, spans - maxSpansOfTrace)
    const all = dropped > 0 ? { ...attributes, 'pennypost.spans_dropped': dropped } : attributes
    sink.add({ traceId, spanId, parentId, name, kind, startedAt, endedAt: now(), attributes: all, hasFailed })
  }

  async function record<Result>(
    trace: ActiveTrace,
    { name, attributes }: LeafSpan,
    act: (headers: TraceHeaders) => Promise<Result>,
  ): Promise<Result> {
    const { traceId, spanId: parentId } = trace
    const spanId = newSpanId()
    const startedAt = now()
    let hasFailed = true
    try {
      const result = await act(traceHeadersOf({ ...trace, spanId }))
      hasFailed = false
      return result
    } finally {
      const kind = spanKinds.client
      sink.add({ traceId, spanId, parentId, name, kind, startedAt, endedAt: now(), attributes, hasFailed })
    }
  }

  return {
    current: () => active.getStore(),
    startRequest({ traceparent, tracestate }) {
      const trace = begin(readTraceContext(traceparent, tracestate))
      return {
        traceId: trace.traceId,
        run: (act) => active.run(trace, act),
        end: (name, attributes, hasFailed) => end(trace, spanKinds.server, name, attributes, hasFailed),
      }
    },
    async inJob(name, attempt, act) {
      const trace = begin(undefined)
      let hasFailed = true
      try {
        const result = await active.run(trace, act)
        hasFailed = false
        return result
      } finally {
        end(
          trace,
          spanKinds.consumer,
          `job ${name}`,
          { 'pennypost.job': name, 'pennypost.attempt': attempt },
          hasFailed,
        )
      }
    },
    inSpan(span, act) {
      const trace = active.getStore()
      if (!trace) return act({})
      if (trace.isSampled) trace.spans += 1
      return trace.isSampled && trace.spans <= maxSpansOfTrace ? record(trace, span, act) : act(traceHeadersOf(trace))
    },
  }
}
