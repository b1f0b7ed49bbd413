import { auditBooks, type Finding } from './payments/audit/audit-books.ts'
import { auditChain } from './payments/audit/audit-chain.ts'
import { auditUsdc } from './payments/audit/audit-usdc.ts'
import { movableClock, systemClock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { DataDirInUse, lockDataDir } from './platform/data-dir.ts'
import { openDatabase } from './platform/database/database.ts'
import { startEmbeddedPostgres, urlOfRunningPostgres } from './platform/database/embedded-postgres.ts'
import type { Log } from './platform/log.ts'
import { createMetrics } from './platform/metrics.ts'
import { openBase } from './rails/base/open-base.ts'
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
    const usdc = await auditUsdc(db, base, clock.now()).catch((error: Error) => ({
      findings: [`the chain of Base could not be asked: ${error.message}`],
      underWay: [],
      payments: 0,
      isSeen: false,
    }))
    return {
      findings: [...books, ...chain.findings, ...usdc.findings],
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

/** Finds the database of the service. If it is embedded and not running, it is started for the audit. */
async function findDatabase(config: Config): Promise<{ url: string; leave(): Promise<void> }> {
  if (config.databaseUrl) return { url: config.databaseUrl, leave: async () => {} }
  try {
    const lock = await lockDataDir(config.dataDir, 0)
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log: () => {} })
    return {
      url: postgres.url,
      async leave() {
        await postgres.stop()
        await lock.release()
      },
    }
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error
    return { url: await urlOfRunningPostgres(config.dataDir), leave: async () => {} }
  }
}
