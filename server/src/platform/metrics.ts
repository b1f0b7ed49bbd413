import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { buildVersion } from './build-version.ts'
import { createLatencyHistogram } from './latency-histogram.ts'
import { callLatency, spansTotal } from './process-metrics.ts'
import { within } from './within.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** A scrape never takes much longer than this, whatever hangs. */
const collectMs = 2_500

/**
 * The metrics that Prometheus reads. Labels have few values, all of them ours: names of operations, jobs, limits and targets.
 * Nothing that a client sent and nothing of an account is ever a label.
 */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'pennypost_' })
  registry.registerMetric(spansTotal)
  const registers = [registry]
  const updates: (() => Promise<void> | void)[] = []
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge<Label>({ name: `pennypost_${name}`, help, labelNames, registers })
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter<Label>({ name: `pennypost_${name}_total`, help, labelNames, registers })
  gauge('build_info', 'The version of this process, with the value 1.', ['version', 'node']).set(
    { version: buildVersion, node: process.versions.node },
    1,
  )
  const requestLatency = createLatencyHistogram({
    name: 'pennypost_http_request_seconds',
    help: 'Time to reply, by operation and status.',
    labels: ['operation', 'status'],
    bounds: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
  })
  const jobLatency = createLatencyHistogram({
    name: 'pennypost_job_seconds',
    help: 'Time that a job took, by name and outcome.',
    // Not `job`: Prometheus has its own label of that name.
    labels: ['name', 'outcome'],
    bounds: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100],
  })
  return {
    registry,
    gauge,
    counter,
    requestLatency,
    jobLatency,
    jobs: counter('jobs', 'Jobs run, by outcome.', ['name', 'outcome']),
    rateLimitRefusals: counter('rate_limit_refusals', 'Requests refused by a rate limit, by its name.', ['limit']),
    /** Adds what brings gauges up to date before they are read. It must not throw. */
    onCollect: (update: () => Promise<void> | void): void => void updates.push(update),
    /** Everything, in the Prometheus text format. */
    async text(): Promise<string> {
      await within(collectMs, Promise.all(updates.map(async (update) => update())))
      const own = requestLatency.text() + jobLatency.text() + callLatency.text()
      return own + (await registry.metrics())
    },
  }
}
