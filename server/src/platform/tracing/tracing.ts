import type { Log } from '../log.ts'
import type { TracingConfig } from './settings.ts'
import type { TraceHeaders } from './trace-context.ts'
import type { LeafSpan, RequestTrace, Tracer } from './tracer.ts'

// The switch of tracing. While it is off, which is the default, each of these functions is a comparison and a call: the
// tracer is not loaded, and nothing follows promises. There is one for the process, like the output of the log.

let tracer: Tracer | undefined

export interface TracingStart {
  readonly config: TracingConfig
  readonly instance: string
  readonly role: string
  readonly log: Log
}

/** Starts to export traces, if the settings name a collector. Returns a function that sends what is left and stops. */
export async function startTracing({ config, ...parts }: TracingStart): Promise<() => Promise<void>> {
  if (!config.tracing) return async () => {}
  const { createTracer } = await import('./tracer.ts')
  const { createOtlpExporter } = await import('./otlp-exporter.ts')
  const exporter = createOtlpExporter({ ...config.tracing, ...parts })
  const started = createTracer(config.tracing, exporter)
  tracer = started
  return async () => {
    if (tracer === started) tracer = undefined
    await exporter.close()
  }
}

export const isTracing = (): boolean => tracer !== undefined

/** Follows a request from its headers on. Undefined while tracing is off. */
export const traceRequest = (headers: Readonly<Record<string, unknown>>): RequestTrace | undefined =>
  tracer?.startRequest(headers)

/** Runs a job as a new trace. */
export const traceJob = <Result>(name: string, attempt: number, act: () => Promise<Result>): Promise<Result> =>
  tracer ? tracer.inJob(name, attempt, act) : act()

const noHeaders: TraceHeaders = Object.freeze({})

/** Records a call or a query as part of the current trace, if there is one. `act` gets the headers that pass it on. */
export const inSpan = <Result>(span: LeafSpan, act: (headers: TraceHeaders) => Promise<Result>): Promise<Result> =>
  tracer ? tracer.inSpan(span, act) : act(noHeaders)

export const currentTraceId = (): string | undefined => tracer?.current()?.traceId
