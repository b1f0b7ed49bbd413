import type { Config } from '../../config.ts'
import { type Check, hostOf } from './check.ts'

/** Whether monitoring can see the service: who may read `/metrics`, and whether the collector takes traces. */
export const checkMonitoring = (config: Config): Check => ({
  area: 'metrics and traces',
  timeoutMs: 8_000,
  advice: 'Is the collector running, and does it accept OTLP over HTTP at OTEL_EXPORTER_OTLP_ENDPOINT?',
  async run(report, signal) {
    if (config.metricsToken !== undefined) report.ok('METRICS_TOKEN is set: anyone who has it can read /metrics')
    else if (config.databaseUrl === undefined) report.ok('only this machine can read /metrics')
    else
      report.warn(
        'only its own machine can read /metrics of a process',
        'Set METRICS_TOKEN if Prometheus runs on another machine.',
      )
    const { tracing } = config
    if (!tracing) return report.ok('no traces are recorded')
    const response = await fetch(`${tracing.endpoint.replace(/\/+$/, '')}/v1/traces`, {
      method: 'POST',
      headers: { ...tracing.headers, 'content-type': 'application/json' },
      body: '{"resourceSpans":[]}',
      redirect: 'error',
      signal,
    })
    await response.body?.cancel()
    const where = `the collector at ${hostOf(tracing.endpoint)}`
    if (response.status === 401 || response.status === 403)
      report.wrong(`${where} refuses us (status ${response.status})`, 'Check OTEL_EXPORTER_OTLP_HEADERS.')
    else if (!response.ok)
      report.wrong(
        `${where} replies with status ${response.status}`,
        'OTEL_EXPORTER_OTLP_ENDPOINT is the address before /v1/traces, usually with the port 4318.',
      )
    else report.ok(`${where} takes traces, ${tracing.sampleRatio * 100} % of requests and jobs`)
  },
})
