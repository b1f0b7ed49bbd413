import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CapturedMail } from '@pennypost/contract/development-tools'
import pg, { type Pool } from 'pg'
import { createApp } from '../app.ts'
import { type Config, readConfig } from '../config.ts'
import { listCapturedMail } from '../development/captured-mail.ts'
import { movableClock } from '../platform/clock.ts'
import { createClosers } from '../platform/closers.ts'
import { runDueJobs } from '../platform/jobs/run-job.ts'
import { createLog } from '../platform/log.ts'
import { secretsFrom } from '../platform/secrets.ts'
import { createRenderer } from '../posts/markdown/renderer.ts'
import type { AddressRun } from '../rails/nano/custody/addresses.ts'
import { jobs } from '../rooms.ts'
import { openServices, type Services } from '../services.ts'
import { createScreening } from '../uploads/screening/screening.ts'
import { borrowTestChain } from './base-chain.ts'
import { engineSettings } from './engines.ts'
import { type Creator, createCreator, createReader, type PersonOptions, type Reader } from './people.ts'
import { type Host, nextAddress, Person } from './person.ts'
import { noteReached } from './reached-refusals.ts'
import { openOnce, replaceShared, type Scope } from './shared.ts'
import { cloneTestDatabase, emptyDatabase } from './test-database.ts'

/**
 * The service in the test's process, with its own database, a clock that tests can move, captured mail and jobs that
 * run only on `runJobs`.
 */
export interface World extends Host {
  /** PostgreSQL itself, for workers, programs and further worlds. The pool of the services may go through a pooler. */
  readonly databaseUrl: string
  /** Uses a session of PostgreSQL that ends afterwards, for settings that nobody else must have. */
  inSession<T>(use: (client: pg.Client) => Promise<T>): Promise<T>
  /** A person without an account, with a unique IP address. */
  stranger(): Person
  reader(options?: PersonOptions): Promise<Reader>
  creator(options?: PersonOptions): Promise<Creator>
  advance(seconds: number): Promise<void>
  /** Emails sent to an address, newest first. */
  mailTo(address: string): Promise<CapturedMail[]>
  /** Throws if an unexpected error happened or due jobs are left. Clears both, so the next test starts clean. */
  checkIsClean(): Promise<void>
}

export interface WorldOptions {
  readonly settings?: Readonly<Record<string, string>>
  readonly services?: Partial<Services>
  /** How long to wait for a node, for tests with nodes that do not respond. */
  readonly nodeTimeoutMs?: number
  /** A database that outlives the world, such as a restored copy of another one. */
  readonly databaseUrl?: string
}

// All worlds of a process use these: starting a render thread or a decoder takes longer than most tests.
const renderer = createRenderer()
const screening = createScreening(
  { pictureListPath: undefined, clamavUrl: undefined, scannerUrl: undefined },
  createLog('silent'),
)

export async function createWorld(t: Scope, options: WorldOptions = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-world-'))
  const testDatabase = options.databaseUrl
    ? { url: options.databaseUrl, drop: async () => {} }
    : await cloneTestDatabase()
  const engines = await engineSettings(t, testDatabase.url)
  const config: Config = readConfig({
    DATA_DIR: folder,
    BASE_URL: 'http://pennypost.test',
    // Unique, because several worlds may share a Nano network.
    NANO_SEED: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'silent',
    ...engines,
    ...options.settings,
  })
  const log = createLog(config.logLevel)
  const clock = await movableClock()
  const bugs: string[] = []
  const onBug = (operation: string, cause: unknown) =>
    bugs.push(`${operation}: ${cause instanceof Error ? cause.stack : cause}`)
  const closers = createClosers({ hangMs: 60_000, onFailure: (error) => onBug('closing', error) })
  const services = await openServices(config, log, {
    databaseUrl: engines.DATABASE_URL ?? testDatabase.url,
    directUrl: engines.DATABASE_DIRECT_URL,
    closers,
    nodeTimeoutMs: options.nodeTimeoutMs,
    openChain: borrowTestChain,
    given: {
      clock,
      secrets: secretsFrom('a secret for tests'),
      renderer,
      ...(!config.pictureListPath && !config.clamavUrl && !config.scannerUrl && { screening }),
      // Checking the rails would start the development ledger and chain, which most tests do not need.
      readiness: async () => ({ dependencies: [], missing: [], degraded: [], details: {} }),
      ...(options.databaseUrl === undefined && { addressRun: onlyRun() }),
      ...options.services,
    },
  })
  const { db, pool, metrics } = services
  const server = await createApp(services, {
    temporaryFolder: folder,
    checkReplies: true,
    onBug,
    onRefusal: noteReached,
  })

  const world: World = {
    server,
    services,
    origin: config.baseUrl!,
    databaseUrl: testDatabase.url,
    inSession: (use) => inSession(testDatabase.url, use),
    stranger: () => new Person(world, nextAddress()),
    reader: (options) => createReader(world, options),
    creator: (options) => createCreator(world, options),
    runJobs: (concurrency) => runDueJobs({ jobs, services, pool, clock, log, metrics }, concurrency),
    advance: (seconds) => clock.advance(seconds * 1000),
    mailTo: (address) => listCapturedMail(db, address),
    async checkIsClean() {
      const found = bugs.splice(0)
      if (found.length > 0) throw new Error(`nobody expected this:\n${found.join('\n')}`)
      const leftOver = await takeDueJobs(pool, clock.now())
      if (leftOver.length > 0) throw new Error(`jobs left over: ${leftOver.join(', ')}`)
    },
  }
  t.after(async () => {
    const check = await Promise.allSettled([world.checkIsClean()])
    services.orderEvents.close()
    await server.close()
    await closers.closeAll()
    await testDatabase.drop()
    await rm(folder, { recursive: true, force: true })
    // Errors while closing are bugs too.
    if (bugs.length > 0) throw new Error(bugs.join('\n'))
    if (check[0].status === 'rejected') throw check[0].reason
  })
  return world
}

async function inSession<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** A world's seed is its own, so its addresses need not wait for the second in which no other process began. */
const onlyRun = (): AddressRun => ({ started: 0, slot: 0, begun: Promise.resolve(), addresses: 0 })

interface LeftOverJob {
  readonly name: string
  readonly run_at: Date
  readonly attempts: number
  readonly claimed_by: number | null
  readonly last_error: string | null
}

/**
 * Deletes due jobs that a test left, and describes them. Ignores the job that indexes stale posts: many changes
 * enqueue it, and tests of lists wait for it.
 */
async function takeDueJobs(pool: Pool, now: Date): Promise<string[]> {
  const sql = `DELETE FROM jobs WHERE run_at <= $1 AND dead_at IS NULL AND name <> 'index-stale-posts'
    RETURNING name, run_at, attempts, claimed_by, last_error`
  // Some tests make the database unavailable.
  const { rows } = await pool.query<LeftOverJob>(sql, [now]).catch(() => ({ rows: [] }))
  return rows.map(
    ({ name, run_at, attempts, claimed_by, last_error }) =>
      `${name} (due ${run_at.toISOString()}, now ${now.toISOString()}, attempts ${attempts}, claimed by ${claimed_by}: ${last_error})`,
  )
}

/**
 * One world for all tests of a file with these settings, which is much cheaper than one per test. Tests create their
 * own people and must not assume anything about lists that show everyone.
 */
export async function sharedWorld(t: Scope, settings: WorldOptions['settings'] = {}): Promise<World> {
  const world = await openOnce(keyOf(settings), (scope) => createWorld(scope, { settings }), renew)
  t.after(() => world.checkIsClean())
  return world
}

/**
 * The emptied world, or a new one if a test has moved its clock. For tests with programs and chains that use the
 * machine's time.
 */
async function unmovedWorld(t: Scope, settings: WorldOptions['settings'] = {}): Promise<World> {
  const { services } = await sharedWorld(t, settings)
  if (!isUnmoved(services)) replaceShared(keyOf(settings))
  return emptiedWorld(t, settings)
}

/** Empties a world for the next test file, unless its clock was moved. Much that is in memory depends on the time. */
async function renew({ services }: World): Promise<boolean> {
  if (!isUnmoved(services)) return false
  await emptyDatabase(services.pool)
  return true
}

const isUnmoved = ({ clock }: Services): boolean => Math.abs(clock.now().getTime() - Date.now()) < 1000

const keyOf = (settings: WorldOptions['settings']): string => `world ${JSON.stringify(settings)}`

/**
 * The shared world with an emptied database, for tests that count all rows or use fixed names. The service's memory is
 * not cleared; a test that needs that creates its own world.
 */
export async function emptiedWorld(t: Scope, settings: WorldOptions['settings'] = {}): Promise<World> {
  const world = await sharedWorld(t, settings)
  await emptyDatabase(world.services.pool)
  return world
}

/** How much of a world a test shares with the others of its file. */
export interface OpenWorldOptions extends WorldOptions {
  /** The default is `shared`, or `own` if the test passes services or a node timeout. */
  readonly isolation?: 'shared' | 'emptied' | 'unmoved' | 'own'
}

/** Opens a world for a fixture. Its tests choose how much they share. */
export function openWorld(t: Scope, { isolation = 'shared', ...options }: OpenWorldOptions = {}): Promise<World> {
  if (isolation === 'own' || options.services || options.nodeTimeoutMs || options.databaseUrl)
    return createWorld(t, options)
  const open = { shared: sharedWorld, emptied: emptiedWorld, unmoved: unmovedWorld }[isolation]
  return open(t, options.settings)
}
