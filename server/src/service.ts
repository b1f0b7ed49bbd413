import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { findClaimToken } from './accounts/admin-claim.ts'
import { createApp } from './app.ts'
import type { Config } from './config.ts'
import { requireOwnDatabase } from './operator/foreign-database.ts'
import { watchAddresses } from './payments/receive-arrivals.ts'
import { watchForLoss } from './payments/recovery/watch-for-loss.ts'
import { openSigner } from './payments/signing/open-signer.ts'
import { requireBackupSettings } from './platform/backup/place.ts'
import { type Closers, createClosers } from './platform/closers.ts'
import { collectWhenIdle } from './platform/collect-when-idle.ts'
import { type DataDirLock, lockDataDir, StartError } from './platform/data-dir.ts'
import { checkConnectionBudget } from './platform/database/connection-budget.ts'
import { isDatabaseUnavailable } from './platform/database/database.ts'
import { migrate } from './platform/database/migrate.ts'
import { requireNotMoved } from './platform/database/moved-database.ts'
import { requireSessions } from './platform/database/require-sessions.ts'
import { superviseEmbeddedPostgres } from './platform/database/supervise-postgres.ts'
import { closeAfterReplies } from './platform/http/close-connections.ts'
import { openTemporaryFolder } from './platform/http/multipart-body.ts'
import { emptyReplyCache } from './platform/http/reply-cache.ts'
import { requireJobNames } from './platform/jobs/job-places.ts'
import { startWorker, type Worker } from './platform/jobs/worker.ts'
import type { Log } from './platform/log.ts'
import { type Dependency, requireAvailable } from './platform/readiness.ts'
import { verifySecrets } from './platform/secrets.ts'
import { within } from './platform/within.ts'
import { seedElsewhere } from './rails/nano/custody/open-keyring.ts'
import { jobs } from './rooms.ts'
import { openServices } from './services.ts'

export interface Service {
  readonly address: string
  /** The token for the first administrator, while there is none. */
  readonly claimToken: string | undefined
  /** Required dependencies that are not available yet: the service is not ready until they are. */
  readonly missing: readonly string[]
  /** Stops gracefully: takes no new work, lets current work finish or hands it back, and closes the database last. */
  stop(): Promise<void>
}

export const migrationsFolder = fileURLToPath(new URL('../src/migrations', import.meta.url))
const drainMs = 6_000
const firstNodeCheckMs = 3_000
const closeMs = 1_000

/**
 * Checks of settings that a room cannot make by itself, because they need a library or the names of all jobs. Each throws a
 * StartError. A start runs them first, and `pennypost doctor` runs the same ones.
 */
export const settingChecks: readonly ((config: Config) => void | Promise<void>)[] = [
  requireBackupSettings,
  ({ jobsAtOnce }) => requireJobNames(jobsAtOnce, jobs),
]

/** Starts everything in order. If a part fails to start, the parts before it are stopped again. */
export async function startService(config: Config, log: Log): Promise<Service> {
  const closers = createClosers({
    hangMs: closeMs,
    onFailure: (error) => log.warn({ cause: error.message }, 'something did not stop cleanly'),
  })
  try {
    return await startParts(config, log, closers)
  } catch (error) {
    await closers.closeAll()
    // The database was there a moment ago. The supervisor of this process will restart it.
    if (isDatabaseUnavailable(error))
      throw new StartError(`the database became unavailable during the start: ${(error as Error).message}`, {
        cause: error,
      })
    throw error
  }
}

async function startParts(config: Config, log: Log, closers: Closers): Promise<Service> {
  for (const check of settingChecks) await check(config)
  warnOfBackups(config, log)
  const { databaseUrl, lock } = await openDataDir(config, log, closers)
  const { databaseDirectUrl: directUrl } = config
  await requireSessions(databaseUrl, directUrl)
  await requireOwnDatabase(config, log)
  await checkConnectionBudget(directUrl ?? databaseUrl, config, log)
  await migrate(directUrl ?? databaseUrl, migrationsFolder, log)
  if (config.role === 'signer') return startSigner(config, log, databaseUrl, closers)

  const drain = createDrain(config)
  let worker: Worker | undefined
  const dependencies: Dependency[] = [
    drain.dependency,
    ...(config.role === 'web'
      ? []
      : [{ name: 'worker', required: true, check: () => requireAvailable(worker?.isRunning()) }]),
  ]
  const services = await openServices(config, log, { databaseUrl, directUrl, closers, dependencies })
  const { db, pool, clock, metrics, mailer, nano, base, addresses, secrets, origins } = services
  await Promise.all([nano.embeddedLedger?.(), base?.embeddedChain?.()])
  await addresses.verify(db)
  await verifySecrets(db, secrets)
  // Payments are offered only once the node's network is known, unless the node does not reply.
  await within(firstNodeCheckMs, nano.monitor.check())
  nano.monitor.start()

  const temporaryFolder = join(config.dataDir, 'tmp')
  await openTemporaryFolder(temporaryFolder)
  const server = await createApp(services, { temporaryFolder, checkReplies: false, onBug: () => {} })
  // Requests and jobs drain in parallel. A job that does not finish in time is taken over by another process.
  closers.add(() => Promise.all([finishRequests(server), worker?.stop(drainMs)]))
  if (config.role !== 'web') {
    worker = await startWorker(
      { jobs, services, pool, clock, log, metrics, jobsAtOnce: config.jobsAtOnce },
      directUrl ?? databaseUrl,
    )
    const watcher = watchAddresses(services)
    closers.add(() => within(drainMs, watcher.stop()))
    watcher.start()
  }
  const lossWatcher = watchForLoss(services)
  closers.add(() => within(drainMs, lossWatcher.stop()))
  const stopCollecting = collectWhenIdle({
    emptyCaches() {
      services.discovery.emptyCaches()
      emptyReplyCache()
    },
  })
  closers.add(async () => stopCollecting())
  const port = await listen(server, config)
  if (!config.baseUrl) origins.setBase(`http://localhost:${port}`)
  await lock?.announce(origins.base)
  return {
    address: origins.base,
    claimToken: config.role === 'worker' ? undefined : await findClaimToken(db, secrets),
    missing: (await services.readiness()).missing,
    async stop() {
      await drain.run(server)
      // First, because the rest can take seconds: clients that watch an order reconnect to another process.
      services.orderEvents.close()
      mailer.close()
      await closers.closeAll()
    },
  }
}

/**
 * Backups contain the files of DATA_DIR. Nobody reads the output of a scheduled backup, so the start warns about what it
 * will lack.
 */
function warnOfBackups(config: Config, log: Log): void {
  const elsewhere = seedElsewhere(config)
  if (config.backup.everyMs === undefined || config.role === 'web' || elsewhere === undefined) return
  log.warn({}, `the Nano seed will not be in backups: ${elsewhere}; keep a copy of it yourself`)
}

/** The signer has none of the parts of the other roles. */
async function startSigner(config: Config, log: Log, databaseUrl: string, closers: Closers): Promise<Service> {
  const drain = createDrain(config)
  const server = await openSigner(config, log, { databaseUrl, closers, dependencies: [drain.dependency] })
  closers.add(() => finishRequests(server))
  const port = await listen(server, config)
  return {
    address: `http://${config.host}:${port}`,
    claimToken: undefined,
    missing: [],
    async stop() {
      await drain.run(server)
      await closers.closeAll()
    },
  }
}

/**
 * The first step of a stop. `/readyz` says so immediately, and requests are served as before until balancers have noticed:
 * those that they still send would otherwise be refused.
 */
function createDrain({ drainSeconds }: Config) {
  let isDraining = false
  const dependency: Dependency = { name: 'draining', required: true, check: () => requireAvailable(!isDraining) }
  return {
    dependency,
    async run({ server }: FastifyInstance): Promise<void> {
      isDraining = true
      if (drainSeconds === 0) return
      closeAfterReplies(server)
      await wait(drainSeconds * 1_000)
    },
  }
}

/** Takes no new connections, and gives the requests in progress some time to finish. */
const finishRequests = (server: FastifyInstance): Promise<void> =>
  within(drainMs, server.close(), () => server.server.closeAllConnections())

async function openDataDir(
  config: Config,
  log: Log,
  closers: Closers,
): Promise<{ databaseUrl: string; lock?: DataDirLock }> {
  // Several processes may share an external database and the data folder, so the folder is not locked.
  if (config.databaseUrl) return { databaseUrl: config.databaseUrl }
  await requireNotMoved(config.dataDir)
  const lock = await lockDataDir(config.dataDir)
  closers.add(() => lock.release())
  const postgres = await superviseEmbeddedPostgres(config.dataDir, log)
  closers.add(() => postgres.stop())
  return { databaseUrl: postgres.url, lock }
}

async function listen(server: FastifyInstance, config: Config): Promise<number> {
  try {
    await server.listen({ host: config.host, port: config.port })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw new StartError(`PORT: ${config.port} is in use on ${config.host}; choose another`)
    // Any other reason is about the two settings too: a port that is not allowed, an address of another machine, a name without one.
    throw new StartError(`HOST, PORT: cannot listen on ${config.host}:${config.port}: ${message}`, { cause: error })
  }
  return (server.server.address() as { port: number }).port
}
