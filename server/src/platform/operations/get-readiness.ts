import type { getReadiness as declared } from '@pennypost/contract/platform-operations'
import type { Handler } from '../http/handler.ts'

interface Needs {
  readonly readiness: () => Promise<{ missing: string[]; degraded: string[] }>
}

export const getReadiness: Handler<typeof declared, Needs> = async ({ readiness }) => {
  const { missing, degraded } = await readiness()
  if (missing.length > 0) return { status: 503, body: { status: 'not-ready', missing, degraded } }
  return { status: 200, body: { status: 'ready', missing, degraded } }
}
