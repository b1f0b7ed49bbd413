import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { sessionTokens } from './accounts/session-tokens.ts'
import { createApp, jobs, purposes, targets } from './app.ts'
import { openDiscovery } from './discovery/discovery.ts'
import { openOrderEvents } from './payments/orders/order-events.ts'
import { movableClock, systemClock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { type DataDirLock, lockDataDir, StartError } from './platform/data-dir.ts'
import { openDatabase } from './platform/database/database.ts'
import { openListener } from './platform/database/listener.ts'
import { migrate } from './platform/database/migrate.ts'
import { superviseEmbeddedPostgres } from './platform/database/supervise-postgres.ts'
import { localFileStore } from './platform/files/file-store.ts'
import { openTemporaryFolder } from './platform/http/multipart-body.ts'
import { createOrigins } from './platform/http/origins.ts'
import { startWorker, type Worker } from './platform/jobs/worker.ts'
import { memoryRateLimiter } from './platform/limits/memory-rate-limiter.ts'
import { postgresRateLimiter } from './platform/limits/postgres-rate-limiter.ts'
import type { Log } from './platform/log.ts'
import { capturingMailer, senderAddress } from './platform/mail/mail.ts'
import { createMetrics } from './platform/metrics.ts'
import { createPushSender } from './platform/push/push.ts'
import { vapidKeys } from './platform/push/vapid-keys.ts'
import { checkReadiness, type Dependency, databaseDependency, throttled } from './platform/readiness.ts'
import { openSecrets } from './platform/secrets.ts'
import { createRenderer } from './posts/markdown/renderer.ts'
import { openBase } from './rails/base/base.ts'
import { openKeyring, verifyKeyring } from './rails/nano/custody/keyring.ts'
import { watchAddresses } from './rails/nano/custody/watch-addresses.ts'
import { openNano } from './rails/nano/nano.ts'
import { openRates } from './rails/rates.ts'
import type { Services } from './services.ts'
import { createScreening } from './uploads/screening/screening.ts'

export interface Service {
  readonly address: string
  /** Drains: no new work, what is under way finishes or is handed back, the database last. */
  stop(): Promise<void>
}

export const migrationsFolder = fileURLToPath(new URL('../src/migrations', import.meta.url))
const drainMs = 6_000
const closeMs = 1_000
const mailCheckMs = 30_000
const nanoCheckMs = 10_000
const baseCheckMs = 10_000
const screenerCheckMs = 10_000

/** Starts everything, in order; what was started before a failure is stopped again. */
export async function startService(config: Config, log: Log): Promise<Service> {
  const started: (() => Promise<unknown>)[] = []
  const stopStarted = async () => {
    for (const stop of started.splice(0).reverse()) {
      await stop().catch((error: Error) => log.warn({ cause: error.message }, 'something did not stop cleanly'))
    }
  }
  try {
    return await startParts(config, log, started, stopStarted)
  } catch (error) {
    await stopStarted()
    throw error
  }
}

async function startParts(
  config: Config,
  log: Log,
  started: (() => Promise<unknown>)[],
  stopStarted: () => Promise<void>,
): Promise<Service> {
  const { databaseUrl, lock } = await openDataDir(config, log, started)
  await migrate(databaseUrl, migrationsFolder, log)
  const { db, pool, searchPool, close } = openDatabase(databaseUrl, log)
  started.push(() => within(closeMs, close(), () => {}))

  const metrics = createMetrics()
  const clock = config.environment === 'development' ? await movableClock(config.dataDir) : systemClock()
  // The clients of SMTP, S3 and Redis are the largest libraries we have: loaded where they are used.
  const mailer = config.smtpUrl
    ? (await import('./platform/mail/smtp-mailer.ts')).smtpMailer(config.smtpUrl, config.mailFrom)
    : capturingMailer(db, clock)
  const files = config.objectStore
    ? (await import('./platform/files/s3-file-store.ts')).s3FileStore(config.objectStore)
    : localFileStore(join(config.dataDir, 'objects'))
  const redis = config.redisUrl
    ? await (await import('./platform/limits/redis-rate-limiter.ts')).redisRateLimiter(config.redisUrl, log)
    : undefined
  // A worker is asked by nobody whose requests are counted, and a database of our own by nobody else.
  const isShared = config.databaseUrl !== undefined && config.role !== 'worker'
  const counters = redis ?? (isShared ? await postgresRateLimiter(databaseUrl, log) : memoryRateLimiter())
  started.push(() => within(closeMs, counters.close(), () => {}))

  const nano = openNano(config, { clock, log })
  started.push(() => within(closeMs, nano.close(), () => {}))
  const base = await openBase(config, { clock, log, metrics })
  started.push(() => within(closeMs, base?.close() ?? Promise.resolve(), () => {}))
  await Promise.all([nano.development?.ledger(), base?.development?.chain()])
  const keyring = await openKeyring(config)
  await verifyKeyring(db, keyring)
  const listener = openListener(databaseUrl, log)
  started.push(() => within(closeMs, listener.close(), () => {}))
  const orderEvents = openOrderEvents(listener, log)
  const screening = createScreening(config, log)
  started.push(() => screening.close())

  let draining = false
  let worker: Worker | undefined
  const must = (condition: boolean | undefined) => {
    if (!condition) throw new Error('not there')
  }
  const dependencies: Dependency[] = [
    databaseDependency(pool),
    { name: 'files', required: true, check: () => files.verify() },
    { name: 'draining', required: true, check: () => must(!draining) },
    ...(config.role === 'web' ? [] : [{ name: 'worker', required: true, check: () => must(worker?.isRunning()) }]),
    ...(config.smtpUrl
      ? [{ name: 'mail', required: false, check: throttled(mailCheckMs, () => mailer.verify()) }]
      : []),
    { name: 'nano', required: false, check: throttled(nanoCheckMs, () => nano.client.verify()) },
    ...(base ? [{ name: 'base', required: false, check: throttled(baseCheckMs, () => base.check()) }] : []),
    ...screening.screeners.map((screener) => ({
      name: screener.name,
      required: false,
      check: throttled(screenerCheckMs, () => screener.verify()),
    })),
    ...(redis ? [{ name: 'redis', required: false, check: () => must(redis.isConnected()) }] : []),
  ]
  const origins = createOrigins(config.baseUrl ?? `http://localhost:${config.port}`, config.altBaseUrl)
  const secrets = await openSecrets(config.dataDir)
  const rates = openRates(config, clock, log)
  started.push(async () => rates.stop())
  const renderer = createRenderer()
  started.push(() => renderer.close())
  const discovery = openDiscovery({ pool, clock, log, secrets, config, rates, base })
  started.push(() => discovery.readers.stop())
  const services: Services = {
    config,
    db,
    pool,
    searchPool,
    clock,
    log,
    metrics,
    mailer,
    files,
    rateLimiter: counters,
    origins,
    rates,
    nano,
    base,
    renderer,
    screening,
    targets,
    keyring,
    purposes,
    listener,
    orderEvents,
    secrets,
    discovery,
    push: createPushSender({
      keys: vapidKeys(secrets),
      contact: `mailto:${senderAddress(config.mailFrom)}`,
      allowLoopback: config.pushAllowsPrivate,
    }),
    tokens: sessionTokens(secrets, origins, clock),
    readiness: () => checkReadiness(dependencies),
  }

  const temporaryFolder = join(config.dataDir, 'tmp')
  await openTemporaryFolder(temporaryFolder)
  const server = await createApp(services, { temporaryFolder, checkReplies: false, onBug: () => {} })
  // Requests and jobs drain side by side; a job that does not finish in time is taken over by the next process.
  started.push(() =>
    Promise.all([
      within(drainMs, drainRequests(server, services), () => server.server.closeAllConnections()),
      worker?.stop(drainMs),
    ]),
  )
  if (config.role !== 'web') {
    worker = await startWorker({ jobs, services, pool, clock, log, metrics }, databaseUrl)
    const watcher = watchAddresses(services)
    started.push(() => within(drainMs, watcher.stop(), () => {}))
    watcher.start()
  }
  const port = await listen(server, config)
  if (!config.baseUrl) origins.setBase(`http://localhost:${port}`)
  await lock?.announce(origins.base)
  return {
    address: origins.base,
    async stop() {
      draining = true
      mailer.close()
      await stopStarted()
    },
  }
}

async function openDataDir(
  config: Config,
  log: Log,
  started: (() => Promise<unknown>)[],
): Promise<{ databaseUrl: string; lock?: DataDirLock }> {
  // An external database is for several processes to share, and so is the folder beside it.
  if (config.databaseUrl) return { databaseUrl: config.databaseUrl }
  const lock = await lockDataDir(config.dataDir)
  started.push(() => lock.release())
  const postgres = await superviseEmbeddedPostgres(config.dataDir, log)
  started.push(() => postgres.stop())
  return { databaseUrl: postgres.url, lock }
}

async function listen(server: FastifyInstance, config: Config): Promise<number> {
  try {
    await server.listen({ host: config.host, port: config.port })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw new StartError(`PORT: ${config.port} is in use on ${config.host}; choose another`)
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
      throw new StartError(`HOST, PORT: cannot listen on ${config.host}:${config.port}: ${message}`)
    throw error
  }
  return (server.server.address() as { port: number }).port
}

/** Connections that fall idle after their last answer are closed as they do, or a keep-alive client would hold us up. */
async function drainRequests(server: FastifyInstance, { orderEvents }: Services): Promise<void> {
  orderEvents.close()
  const closing = server.close()
  const timer = setInterval(() => server.server.closeIdleConnections(), 50)
  await closing
  clearInterval(timer)
}

async function within(milliseconds: number, done: Promise<unknown>, otherwise: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      otherwise()
      resolve()
    }, milliseconds)
  })
  await Promise.race([done, late])
  clearTimeout(timer)
}
