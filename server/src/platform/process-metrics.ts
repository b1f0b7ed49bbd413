import { Counter } from 'prom-client'
import { createLatencyHistogram } from './latency-histogram.ts'

// Metrics of the process rather than of a service in it, because the code that counts is not given the services.

/** The kinds of servers that we call. The list is fixed: hosts that other people name are never a label. */
export type CallTarget =
  | 'nano-node'
  | 'nano-work'
  | 'signer'
  | 'base-node'
  | 'facilitator'
  | 'rates'
  | 'mail'
  | 'files'
  | 'scanner'
  | 'captcha'
  | 'webhook'
  | 'push'
  | 'websub'
  | 'oauth-client'

export const callLatency = createLatencyHistogram({
  name: 'pennypost_call_seconds',
  help: 'Time of calls to other servers, by target and outcome. A refusal is a reply, and not a failure.',
  labels: ['target', 'outcome'],
  bounds: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
})

export const spansTotal = new Counter({
  name: 'pennypost_trace_spans_total',
  help: 'Spans of traces, by what became of them: exported, failed (the collector did not take them), dropped (the queue was full).',
  labelNames: ['outcome'],
  registers: [],
})
