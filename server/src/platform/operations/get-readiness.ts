import type { getReadiness as declared } from '@pennypost/contract/platform-operations'
import type { Handler } from '../http/handler.ts'
import type { ReadinessReport } from '../readiness.ts'

interface Needs {
  readonly readiness: () => Promise<ReadinessReport>
}

export const getReadiness: Handler<typeof declared, Needs> = async ({ readiness }) => {
  const { missing, degraded, details } = await readiness()
  const report = { missing, degraded, details }
  if (missing.length > 0)
    return { status: 503, headers: { 'retry-after': '2' }, body: { status: 'not-ready', ...report } }
  return { status: 200, body: { status: 'ready', ...report } }
}
