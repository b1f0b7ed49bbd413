import { type CallTarget, callLatency } from '../process-metrics.ts'
import type { TraceHeaders } from '../tracing/trace-context.ts'
import { inSpan } from '../tracing/tracing.ts'

export interface ObservedCall {
  readonly target: CallTarget
  /** The kind of call: a method or an action of ours, never a URL. */
  readonly what: string
  /** Whether an error is a reply, so that the server counts as working. */
  readonly isReply?: (error: unknown) => boolean
}

/** Counts a call to another server and makes it part of the trace. `act` gets the headers that pass the trace on. */
export async function observeCall<Result>(
  { target, what, isReply = () => false }: ObservedCall,
  act: (headers: TraceHeaders) => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now()
  let outcome = 'failed'
  try {
    const result = await inSpan({ name: `${target} ${what}`, attributes: { 'peer.service': target } }, act)
    outcome = 'ok'
    return result
  } catch (error) {
    if (isReply(error)) outcome = 'ok'
    throw error
  } finally {
    callLatency.of(target)(outcome, (performance.now() - startedAt) / 1000)
  }
}
