import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { createLatencyHistogram } from './http/latency-histogram.ts'

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'pennypost_' })
  const registers = [registry]
  return {
    registry,
    requestLatency: createLatencyHistogram(),
    jobs: new Counter({
      name: 'pennypost_jobs_total',
      help: 'Jobs run, by outcome.',
      labelNames: ['job', 'outcome'],
      registers,
    }),
    deadJobs: new Gauge({ name: 'pennypost_jobs_dead', help: 'Jobs that used up their attempts.', registers }),
  }
}
