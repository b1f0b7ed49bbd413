import type { getMetrics as declared } from '@pennypost/contract/platform-operations'
import type pg from 'pg'
import type { Handler } from '../http/handler.ts'
import { countDeadJobs } from '../jobs/job-store.ts'
import type { Metrics } from '../metrics.ts'

export const getMetrics: Handler<typeof declared, { metrics: Metrics; pool: pg.Pool }> = async ({ metrics, pool }) => {
  // While the database is unavailable the number is unknown, but the other metrics are needed all the more.
  metrics.deadJobs.set(await countDeadJobs(pool).catch(() => Number.NaN))
  return { status: 200, body: metrics.requestLatency.text() + (await metrics.registry.metrics()) }
}
