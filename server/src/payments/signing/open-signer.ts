import { movableClock, systemClock } from '../../platform/clock.ts'
import type { Closers } from '../../platform/closers.ts'
import { processSession } from '../../platform/database/connection-budget.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { openListener } from '../../platform/database/listener.ts'
import type { Log } from '../../platform/log.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { type Dependency, databaseDependency, sharedReadiness } from '../../platform/readiness.ts'
import { within } from '../../platform/within.ts'
import { tokenOf } from '../../rails/base/open-base.ts'
import { openKeyring, verifyKeyring } from '../../rails/nano/custody/open-keyring.ts'
import { openNano } from '../../rails/nano/nano.ts'
import { createSignerLock } from '../../rails/signer/signer-database.ts'
import type { PaymentServices } from '../services.ts'
import { guardedAccount } from './authorize-transaction.ts'
import { createLocalSigner } from './local-signer.ts'
import { createSignerServer } from './serve-signer.ts'

// What the gas of a day may cost at most, as a multiple of BASE_GAS_BUDGET: the limit of gas and the fee that we offer are
// several times what a transaction costs in the end, which the other processes count.
const gasMargin = 10n

// Who asks for the status gives up soon, and a database that hangs is reported by others.
const connectedMs = 500

export interface OpenSignerOptions {
  readonly databaseUrl: string
  readonly closers: Closers
  /** The dependencies of its readiness besides the database. */
  readonly dependencies: readonly Dependency[]
}

/**
 * Opens the process with `ROLE=signer`: the only one with the seed and the settler's key. It has no service secret, no
 * jobs, no mail and no files. Several may run behind one SIGNER_URL; what they keep is in the database.
 */
export async function openSigner(
  config: PaymentServices['config'],
  log: Log,
  { databaseUrl, closers, dependencies }: OpenSignerOptions,
) {
  const { databaseDirectUrl: directUrl, databaseConnections: connections, searchConnections } = config
  const { db, pool, close } = openDatabase(databaseUrl, log, { connections, searchConnections, directUrl })
  closers.add(close, { mayHang: true })
  // This connection listens to nothing. Updates, the connection budget and database moves count processes by it, and others see
  // by its lock that we use the same database as they do.
  const lock = createSignerLock()
  const applicationName = processSession('signer', config)
  const presence = openListener(directUrl ?? databaseUrl, log, { applicationName, lock })
  closers.add(() => presence.close(), { mayHang: true })
  await presence.connected()
  const metrics = createMetrics()
  const clock = config.environment === 'development' ? await movableClock(config.dataDir) : systemClock()
  const nano = openNano(config, { clock, log })
  closers.add(() => nano.close(), { mayHang: true })
  const keyring = await openKeyring(config, db, log)
  await verifyKeyring(db, keyring)
  const rules = { config, clock, db, token: tokenOf(config), gasOfDay: config.gasBudgetWei * gasMargin }
  return createSignerServer({
    secret: config.signer.secret!,
    metricsToken: config.metricsToken,
    keyring,
    async databaseLock() {
      let isConnected = false
      const asked = presence.query({ text: 'SELECT 1' }).then(
        () => (isConnected = true),
        () => {},
      )
      await within(connectedMs, asked)
      return isConnected ? lock.id : null
    },
    signer: createLocalSigner({ config, db, clock, nano, metrics, keyring, isAsked: true }),
    account: config.base?.settle === 'own' ? guardedAccount(rules, await settlerOf(config.base.settlerKey)) : undefined,
    log,
    metrics,
    readiness: sharedReadiness([...dependencies, databaseDependency(pool)]),
  })
}

const settlerOf = async (key: `0x${string}`) =>
  (await import('../../rails/base/payment/settler-account.ts')).accountOf(key)
