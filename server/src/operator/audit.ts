import type { Config } from '../config.ts'
import { type Audit, type AuditOptions, runAudit } from '../payments/audit/run-audit.ts'
import { openSigning } from '../payments/signing/open-signing.ts'
import { movableClock, systemClock } from '../platform/clock.ts'
import { openDatabase } from '../platform/database/database.ts'
import { findDatabase } from '../platform/database/find-database.ts'
import type { Log } from '../platform/log.ts'
import { createMetrics } from '../platform/metrics.ts'
import { openBase } from '../rails/base/open-base.ts'
import { openNano } from '../rails/nano/nano.ts'

/** Audits the service with these settings, whether it is running or not. Changes nothing but the record of what was checked. */
export async function audit(config: Config, log: Log, options?: AuditOptions): Promise<Audit> {
  const place = await findDatabase(config)
  // No time limits, because some checks read whole tables.
  const { db, pool, close } = openDatabase(place.url, log, { withoutTimeLimits: true })
  const clock = config.environment === 'development' ? await movableClock(config.dataDir) : systemClock()
  const development =
    config.environment === 'development' ? await import('../development/embedded-nodes.ts') : undefined
  const { openLedger, openChain } = (await development?.embeddedNodes(config, log)) ?? {}
  const nano = openNano(config, { clock, log, openLedger })
  const metrics = createMetrics()
  const base = await openBase(config, { clock, log, metrics, openChain })
  try {
    const { addresses } = await openSigning({ config, db, pool, clock, log, metrics, nano })
    return await runAudit({ config, db, clock, nano, base, addresses }, options)
  } finally {
    await base?.close()
    await nano.close()
    await close()
    await place.leave()
  }
}
