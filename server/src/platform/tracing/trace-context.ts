/** Which trace something belongs to, as W3C Trace Context says it. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  /** Whether its spans are recorded. The ids are passed on either way. */
  readonly isSampled: boolean
  /** Data that other systems added for themselves. Passed on unchanged. */
  readonly traceState?: string | undefined
}

/** The headers that pass a trace on to servers of ours. Hosts that other people name do not get them. */
export type TraceHeaders = Readonly<Record<string, string>>

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const maxTraceStateLength = 512

/** Reads the headers of a request. Undefined if they are missing or wrong: then a new trace begins. */
export function readTraceContext(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > 256) return undefined
  const [, version, traceId, spanId, flags, rest] = pattern.exec(traceparent) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (/^0+$/.test(traceId!) || /^0+$/.test(spanId!)) return undefined
  const traceState =
    typeof tracestate === 'string' && tracestate.length <= maxTraceStateLength && /^[\x20-\x7e]+$/.test(tracestate)
      ? tracestate
      : undefined
  return { traceId: traceId!, spanId: spanId!, isSampled: (Number.parseInt(flags!, 16) & 1) === 1, traceState }
}

export const traceHeadersOf = ({ traceId, spanId, isSampled, traceState }: TraceContext): TraceHeaders => ({
  traceparent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`,
  ...(traceState !== undefined && { tracestate: traceState }),
})
