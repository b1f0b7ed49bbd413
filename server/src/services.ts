import { join } from 'node:path'
import { openOfferedPosts } from './access/offered-posts.ts'
import { sessionTokens } from './accounts/session-tokens.ts'
import { publishFigures } from './admin/monitoring/publish-figures.ts'
import { publishState } from './admin/monitoring/publish-state.ts'
import type { Config } from './config.ts'
import type { Faucet } from './development/nano-ledger/faucet.ts'
import type { DevelopmentServices } from './development/services.ts'
import { openDiscovery } from './discovery/discovery.ts'
import { createOwnRoutes } from './mcp/own-routes.ts'
import { createClientDocuments } from './oauth/client-documents.ts'
import { createMoneyCounters } from './payments/money-counters.ts'
import { openOrderEvents } from './payments/orders/order-events.ts'
import { openSigning } from './payments/signing/open-signing.ts'
import { movableClock, type ServiceClock, systemClock } from './platform/clock.ts'
import type { Closers } from './platform/closers.ts'
import { processSession } from './platform/database/connection-budget.ts'
import { type Db, openDatabase } from './platform/database/database.ts'
import { openListener } from './platform/database/listener.ts'
import { openReplica } from './platform/database/replica.ts'
import { type FileStore, localFileStore } from './platform/files/file-store.ts'
import { createOrigins } from './platform/http/origins.ts'
import { openJournal } from './platform/journal.ts'
import { adjustLimits } from './platform/limits/adjusted-limits.ts'
import { countRefusals } from './platform/limits/count-refusals.ts'
import { memoryRateLimiter } from './platform/limits/memory-rate-limiter.ts'
import { postgresRateLimiter } from './platform/limits/postgres-rate-limiter.ts'
import type { Log } from './platform/log.ts'
import { capturingMailer, type Mailer, senderAddress } from './platform/mail/mail.ts'
import { readDkimKey } from './platform/mail/read-dkim-key.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { createPushSender } from './platform/push/push.ts'
import { vapidKeys } from './platform/push/vapid-keys.ts'
import {
  type Dependency,
  databaseDependency,
  requireAvailable,
  sharedReadiness,
  throttled,
} from './platform/readiness.ts'
import { openSecrets } from './platform/secrets.ts'
import { openSite } from './platform/site-settings.ts'
import { startTracing } from './platform/tracing/tracing.ts'
import { isAddressNeeded } from './posts/is-address-needed.ts'
import { createRenderer } from './posts/markdown/renderer.ts'
import { postUploadTargets } from './posts/upload-targets.ts'
import { hideProfileImage, showProfileImage } from './profiles/profile-store.ts'
import type { OpenChain } from './rails/base/embedded-chain.ts'
import { openBase } from './rails/base/open-base.ts'
import { beginAddressRun, endAddressRun } from './rails/nano/custody/address-run.ts'
import { type NanoRail, openNano } from './rails/nano/nano.ts'
import { openRates } from './rails/rates.ts'
import { siteLayout } from './site/site-layout.ts'
import { countReaders } from './statistics/readers.ts'
import { mailSubscribers } from './subscriptions/mail-subscribers.ts'
import { createScreening } from './uploads/screening/screening.ts'
import type { UploadTargets } from './uploads/targets.ts'

/** The services of every room. Each room extends the one before it, so the last one has them all. */
export type Services = DevelopmentServices

/** How uploads update posts and profiles. */
export const targets: UploadTargets = {
  ...postUploadTargets,
  showProfileImage,
  hideProfileImage,
}

const mailCheckMs = 30_000
const otherCheckMs = 10_000
const diskCheckMs = 1_000

export interface ServiceOptions {
  readonly databaseUrl: string
  /** The URL of PostgreSQL itself, if `databaseUrl` is a pooler in transaction mode. */
  readonly directUrl?: string | undefined
  /** Receives a closer for every part that is opened. */
  readonly closers: Closers
  /** Further checks for `/readyz`. */
  readonly dependencies?: readonly Dependency[]
  /** Parts to use instead of opening new ones. */
  readonly given?: Partial<Services>
  readonly nodeTimeoutMs?: number | undefined
  readonly openChain?: OpenChain
}

/** Opens every part of the service. The process and the tests both use this. */
export async function openServices(config: Config, log: Log, options: ServiceOptions): Promise<Services> {
  const { databaseUrl, directUrl, closers, given = {} } = options
  const sessionUrl = directUrl ?? databaseUrl
  // First, because a pool finds out when it opens whether its queries are traced; so it is also closed last.
  closers.add(await startTracing({ config, instance: config.instance, role: config.role, log }))
  const { db, pool, searchPool, close } = openDatabase(databaseUrl, log, {
    connections: config.databaseConnections,
    searchConnections: config.searchConnections,
    directUrl,
  })
  closers.add(close, { mayHang: true })

  const metrics = createMetrics()
  const clock = given.clock ?? (await openClock(config))
  const mailer = await openMailer(config, db, clock)
  const files = given.files ?? (await openFiles(config))
  const { rateLimiter, redis } = await openRateLimiter(config, sessionUrl, log, metrics)
  closers.add(() => rateLimiter.close(), { mayHang: true })

  const development = config.environment === 'development' ? await import('./development/embedded-nodes.ts') : undefined
  const embedded = await development?.embeddedNodes(config, log)
  const { nodeTimeoutMs, openChain = embedded?.openChain } = options
  const nodes = openNano(config, { clock, log, nodeTimeoutMs, openLedger: embedded?.openLedger })
  closers.add(() => nodes.close(), { mayHang: true })
  const signing = await openSigning({ config, db, pool, clock, log, metrics, nano: nodes })
  closers.add(async () => signing.monitor?.stop())
  signing.monitor?.start()
  const nano: NanoRail = { ...nodes, isOn: () => nodes.isOn() && signing.addresses.isOn() }
  const base = await openBase(config, { clock, log, metrics, openChain, ...signing.base })
  closers.add(async () => base?.close(), { mayHang: true })
  const listener = openListener(sessionUrl, log, { applicationName: processSession(config.role, config) })
  closers.add(() => listener.close(), { mayHang: true })
  const site = await openSite(db, listener, log)
  closers.add(async () => site.close())
  const screening = createScreening(config, log)
  closers.add(() => screening.close())
  const rates = openRates(config, clock, log)
  closers.add(async () => rates.stop())
  const renderer = createRenderer()
  closers.add(() => renderer.close())
  const secrets = given.secrets ?? (await openSecrets(config.dataDir, db))
  const journal = openJournal(config.dataDir)
  closers.add(() => journal.close())
  const discovery = openDiscovery({ pool, clock, config, rates, base, nano })
  const replica = config.databaseReplicaUrl
    ? openReplica(config.databaseReplicaUrl, pool, log, {
        connections: config.databaseConnections,
        searchConnections: config.searchConnections,
        maxLagSeconds: config.replicaLagSeconds,
      })
    : undefined
  closers.add(async () => replica?.close(), { mayHang: true })
  const reading = replica && {
    replica,
    discovery: openDiscovery({ pool: replica.pool, clock, config, rates, base, nano }),
  }
  const readers = countReaders({ db, clock, log, secrets })
  closers.add(() => readers.stop())

  const origins = createOrigins(config.baseUrl ?? `http://localhost:${config.port}`, config.altBaseUrl)
  const push = createPushSender({
    keys: vapidKeys(secrets),
    contact: `mailto:${senderAddress(config.mailFrom)}`,
    allowLoopback: config.pushAllowsPrivate,
  })
  const dependencies: Dependency[] = [
    databaseDependency(pool),
    filesDependency(config, files),
    ...(options.dependencies ?? []),
    ...(config.smtpUrl ? [optional('mail', () => mailer.verify(), mailCheckMs)] : []),
    ...nano.monitor.dependencies,
    ...(signing.monitor ? [optional('signer', signing.monitor.check)] : []),
    ...(base ? [optional('base', () => base.check())] : []),
    ...screening.screeners.map((screener) => optional(screener.name, () => screener.verify())),
    ...(redis ? [{ name: 'redis', required: false, check: () => requireAvailable(redis.isConnected()) }] : []),
  ]

  const addressRun = given.addressRun ?? (await beginAddressRun(db, clock))
  // A run that is left behind, because the database is unavailable, does no harm.
  if (!given.addressRun) closers.add(() => endAddressRun(db, addressRun).catch(() => {}), { mayHang: true })
  const services: Services = {
    config,
    db,
    pool,
    searchPool,
    clock,
    log,
    metrics,
    mailer,
    push,
    files,
    rateLimiter,
    secrets,
    journal,
    listener,
    origins,
    site,
    createLayout: (layout) => siteLayout(site.settings(), layout),
    readiness: sharedReadiness(dependencies),
    rates,
    nano,
    base,
    addresses: signing.addresses,
    signer: signing.signer,
    addressRun,
    tokens: sessionTokens(secrets, origins, clock),
    screening,
    targets,
    draftQuota: config.draftQuota,
    isAddressNeeded: (tx, accountId, rail) => isAddressNeeded(services, tx, accountId, rail),
    renderer,
    mailSubscribers: (tx, post) => mailSubscribers(tx, { clock, config }, post),
    orderEvents: openOrderEvents(listener, log, config.streams),
    moneyCounters: createMoneyCounters(metrics),
    readers,
    offeredPosts: openOfferedPosts(pool),
    discovery,
    reading,
    ownRoutes: createOwnRoutes(),
    clientDocuments: createClientDocuments({ clock, allowLoopback: config.environment === 'development' }),
    nanoFaucet: await openFaucet(config, nano),
    ...given,
  }
  publishFigures(services)
  publishState(services)
  return services
}

// The SMTP, S3 and Redis clients are our largest libraries, so each is loaded only if it is used.

const openMailer = async (config: Config, db: Db, clock: ServiceClock): Promise<Mailer> =>
  config.smtpUrl
    ? (await import('./platform/mail/smtp-mailer.ts')).smtpMailer(config.smtpUrl, config.mailFrom, {
        dkim: config.dkim && (await readDkimKey(config.dkim)),
        replyTo: config.mailReplyTo,
      })
    : capturingMailer(db, clock)

const openFiles = async ({ objectStore, dataDir }: Config): Promise<FileStore> =>
  objectStore
    ? (await import('./platform/files/s3-file-store.ts')).s3FileStore(objectStore)
    : localFileStore(join(dataDir, 'objects'))

async function openRateLimiter(config: Config, databaseUrl: string, log: Log, metrics: Metrics) {
  // A worker has no rate-limited routes, and only one process uses an embedded database. Both can count in memory.
  const isShared = config.databaseUrl !== undefined && config.role !== 'worker'
  const withoutRedis = isShared ? await postgresRateLimiter(databaseUrl, log) : memoryRateLimiter()
  const { redisUrl } = config
  const redis = redisUrl
    ? await (await import('./platform/limits/redis-rate-limiter.ts')).redisRateLimiter(redisUrl, log, withoutRedis)
    : undefined
  const counters = redis ?? withoutRedis
  return { rateLimiter: countRefusals(adjustLimits(counters, config.limits), metrics.rateLimitRefusals), redis }
}

/** A dependency without which the service keeps working. Its check runs rarely, because anyone may read the readiness. */
const optional = (name: string, check: () => Promise<void>, everyMs = otherCheckMs): Dependency => ({
  name,
  required: false,
  check: throttled(everyMs, check),
})

/** An unreachable bucket affects only images and downloads. Without its own disk a process can do nothing. */
const filesDependency = ({ objectStore }: Config, files: FileStore): Dependency =>
  objectStore
    ? optional('files', () => files.verify())
    : // It writes to the disk and waits for that.
      { name: 'files', required: true, check: throttled(diskCheckMs, () => files.verify()) }

const openClock = async ({ environment, dataDir }: Config): Promise<ServiceClock> =>
  environment === 'development' ? movableClock(dataDir) : systemClock()

// Imported only in development, so that production never loads the development room.
const openFaucet = async ({ environment }: Config, { client, work }: NanoRail): Promise<Faucet | undefined> =>
  environment === 'development'
    ? (await import('./development/nano-ledger/faucet.ts')).createFaucet(client, work)
    : undefined
