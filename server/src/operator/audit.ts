import type { Config } from '../config.ts'
import { type Audit, type AuditOptions, runAudit } from '../payments/audit/run-audit.ts'
import { movableClock, systemClock } from '../platform/clock.ts'
import { openDatabase } from '../platform/database/database.ts'
import { findDatabase } from '../platform/database/find-database.ts'
import type { Log } from '../platform/log.ts'
import { createMetrics } from '../platform/metrics.ts'
import { openBase } from '../rails/base/open-base.ts'
import { openKeyring } from '../rails/nano/custody/open-keyring.ts'
import { openNano } from '../rails/nano/nano.ts'

/** Audits the service with these settings, whether it is running or not. Changes nothing but the record of what was checked. */
export async function audit(config: Config, log: Log, options?: AuditOptions): Promise<Audit> {
  const place = await findDatabase(config)
  // No time limits, because some checks read whole tables.
  const { db, close } = openDatabase(place.url, log, { withoutTimeLimits: true })
  const clock = config.environment === 'development' ? await movableClock(config.dataDir) : systemClock()
  const development =
    config.environment === 'development' ? await import('../development/embedded-nodes.ts') : undefined
  const { openLedger, openChain } = (await development?.embeddedNodes(config, log)) ?? {}
  const nano = openNano(config, { clock, log, openLedger })
  const base = await openBase(config, { clock, log, metrics: createMetrics(), openChain })
  try {
    return await runAudit({ config, db, clock, nano, base, keyring: await openKeyring(config) }, options)
  } finally {
    await base?.close()
    await nano.close()
    await close()
    await place.leave()
  }
}
