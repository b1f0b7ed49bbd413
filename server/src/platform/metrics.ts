import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'pennypost_' })
  const registers = [registry]
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'pennypost_http_request_seconds',
      help: 'Time to answer, by operation and status.',
      labelNames: ['operation', 'status'],
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      registers,
    }),
    jobs: new Counter({
      name: 'pennypost_jobs_total',
      help: 'Jobs run, by outcome.',
      labelNames: ['job', 'outcome'],
      registers,
    }),
    deadJobs: new Gauge({ name: 'pennypost_jobs_dead', help: 'Jobs that used up their attempts.', registers }),
  }
}
