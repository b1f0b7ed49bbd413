import type { Config } from './config.ts'
import { auditBooks, type Finding } from './payments/audit/audit-books.ts'
import { auditChain } from './payments/audit/audit-chain.ts'
import { auditLost } from './payments/audit/audit-lost.ts'
import { auditUsdc } from './payments/audit/audit-usdc.ts'
import { movableClock, systemClock } from './platform/clock.ts'
import { openDatabase } from './platform/database/database.ts'
import { findDatabase } from './platform/database/find-database.ts'
import type { Log } from './platform/log.ts'
import { createMetrics } from './platform/metrics.ts'
import { openBase } from './rails/base/open-base.ts'
import { openKeyring } from './rails/nano/custody/addresses.ts'
import { openNano } from './rails/nano/nano.ts'

export interface Audit {
  readonly findings: readonly Finding[]
  /** Differences between chain and books that are not errors, because they are about to be booked. */
  readonly underWay: readonly string[]
  readonly movements: number
  readonly addresses: number
  /** The number of USDC payments that were checked. */
  readonly payments: number
  /** False if there are USDC payments but no node to check them with. */
  readonly isUsdcSeen: boolean
}

/** Audits the service with these settings, whether it is running or not. Changes nothing. */
export async function audit(config: Config, log: Log): Promise<Audit> {
  const place = await findDatabase(config)
  // No time limits, because some checks read whole tables.
  const { db, close } = openDatabase(place.url, log, { withoutTimeLimits: true })
  const clock = config.environment === 'development' ? await movableClock(config.dataDir) : systemClock()
  const development = config.environment === 'development' ? await import('./development/embedded-nodes.ts') : undefined
  const { openLedger, openChain } = (await development?.embeddedNodes(config, log)) ?? {}
  const nano = openNano(config, { clock, log, openLedger })
  const base = await openBase(config, { clock, log, metrics: createMetrics(), openChain })
  try {
    const { movements } = await db
      .selectFrom('ledger_movements')
      .select(({ fn }) => fn.countAll<string>().as('movements'))
      .executeTakeFirstOrThrow()
    const books = await auditBooks(db, clock.now())
    const chain = await auditChain(db, nano.client).catch((error: Error) => ({
      findings: [`the chain could not be asked: ${error.message}`],
      underWay: [],
      addresses: 0,
    }))
    const lost = await auditLost({ config, db, keyring: await openKeyring(config), nano }).catch((error: Error) => [
      `the journal could not be compared with the books: ${error.message}`,
    ])
    const usdc = await auditUsdc(db, base, clock.now()).catch((error: Error) => ({
      findings: [`the chain of Base could not be asked: ${error.message}`],
      underWay: [],
      payments: 0,
      isSeen: false,
    }))
    return {
      findings: [...books, ...chain.findings, ...lost, ...usdc.findings],
      underWay: [...chain.underWay, ...usdc.underWay],
      movements: Number(movements),
      addresses: chain.addresses,
      payments: usdc.payments,
      isUsdcSeen: usdc.isSeen,
    }
  } finally {
    await base?.close()
    await nano.close()
    await close()
    await place.leave()
  }
}
