import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CapturedMail } from '@pennypost/contract/dev'
import type { ClientInput, Endpoint } from '@pennypost/contract/endpoint'
import { type RawReply, send } from '@pennypost/sdk/client'
import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import { createApp, jobs } from '../app.ts'
import { listCapturedMail } from '../development/captured-mail.ts'
import { movableClock } from '../platform/clock.ts'
import { createClosers } from '../platform/closers.ts'
import { type Config, readConfig } from '../platform/config.ts'
import { type FileStore, localFileStore } from '../platform/files/file-store.ts'
import { s3FileStore } from '../platform/files/s3-file-store.ts'
import { runDueJobs } from '../platform/jobs/run-job.ts'
import { createLog } from '../platform/log.ts'
import { secretsFrom } from '../platform/secrets.ts'
import { openServices, type Services } from '../services.ts'
import { borrowTestChain } from './base-chain.ts'
import { injectFetch } from './inject-fetch.ts'
import { type Creator, type PersonOptions, type Reader, registerCreator, registerReader } from './people.ts'
import { noteReached } from './reached-refusals.ts'
import { openOnce, type Scope } from './shared.ts'
import { cloneTestDatabase, emptyDatabase } from './test-database.ts'

/**
 * The service in the test's process, with its own database, a clock that tests can move, captured mail and jobs that
 * run only on `runJobs`.
 */
export interface World {
  readonly server: FastifyInstance
  readonly services: Services
  readonly origin: string
  /** A person without an account, with a unique IP address. */
  stranger(): Person
  reader(wish?: PersonOptions): Promise<Reader>
  creator(wish?: PersonOptions): Promise<Creator>
  /** Runs due jobs until none is left, one at a time or `concurrency` at a time. */
  runJobs(concurrency?: number): Promise<void>
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
}

/** A person who calls the service. */
export class Person {
  readonly world: World
  readonly address: string
  token: string | undefined

  constructor(world: World, address: string, token?: string) {
    this.world = world
    this.address = address
    this.token = token
  }

  /** Calls an operation with typed input. Returns the response, even if it is an error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on the body; it was already checked against its schema
  async calls<E extends Endpoint>(endpoint: E, input: ClientInput<E>): Promise<RawReply & { readonly body: any }> {
    return this.sends(endpoint, input as Record<string, unknown>)
  }

  /** Calls an operation with any input, including input that the types do not allow. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async sends(endpoint: Endpoint, input: Record<string, unknown>): Promise<RawReply & { readonly body: any }> {
    return send(endpoint, input, {
      baseUrl: this.world.origin,
      fetch: injectFetch(this.world.server, this.address),
      ...(this.token !== undefined && { token: this.token }),
    })
  }
}

let strangers = 0
export const nextAddress = (): string => {
  strangers += 1
  return `10.${(strangers >> 16) & 255}.${(strangers >> 8) & 255}.${strangers & 255}`
}

export async function createWorld(t: Scope, options: WorldOptions = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-world-'))
  const testDatabase = await cloneTestDatabase()
  const config: Config = readConfig({
    DATA_DIR: folder,
    BASE_URL: 'http://pennypost.test',
    // Unique, because several worlds may share a Nano network.
    NANO_SEED: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'silent',
    ...options.settings,
  })
  const log = createLog(config.logLevel)
  const clock = await movableClock()
  const bugs: string[] = []
  const onBug = (operation: string, cause: unknown) =>
    bugs.push(`${operation}: ${cause instanceof Error ? cause.stack : cause}`)
  const closers = createClosers({ hangMs: 60_000, onFailure: (error) => onBug('closing', error) })
  const services = await openServices(config, log, {
    databaseUrl: testDatabase.url,
    closers,
    nodeTimeoutMs: options.nodeTimeoutMs,
    openChain: borrowTestChain,
    given: {
      clock,
      files: await openFiles(t, folder),
      secrets: secretsFrom('a secret for tests'),
      // Checking the rails would start the development ledger and chain, which most tests do not need.
      readiness: async () => ({ missing: [], degraded: [] }),
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
    stranger: () => new Person(world, nextAddress()),
    reader: (wish) => registerReader(world, wish),
    creator: (wish) => registerCreator(world, wish),
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

/**
 * Deletes due jobs that a test left, and returns their names. Ignores the job that indexes stale posts: many changes
 * enqueue it, and tests of lists wait for it.
 */
async function takeDueJobs(pool: Pool, now: Date): Promise<string[]> {
  const sql = `DELETE FROM jobs WHERE run_at <= $1 AND dead_at IS NULL AND name <> 'index-stale-posts' RETURNING name`
  // Some tests make the database unavailable.
  const { rows } = await pool.query<{ name: string }>(sql, [now]).catch(() => ({ rows: [] }))
  return rows.map(({ name }) => name)
}

/**
 * One world for all tests of a file with these settings, which is much cheaper than one per test. Tests create their
 * own people and must not assume anything about lists that show everyone.
 */
export async function sharedWorld(t: Scope, settings: WorldOptions['settings'] = {}): Promise<World> {
  const world = await openOnce(`world ${JSON.stringify(settings)}`, (scope) => createWorld(scope, { settings }))
  t.after(() => world.checkIsClean())
  return world
}

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
  readonly isolation?: 'shared' | 'emptied' | 'own'
}

/** Opens a world for a fixture. Its tests choose how much they share. */
export function openWorld(t: Scope, { isolation = 'shared', ...options }: OpenWorldOptions = {}): Promise<World> {
  if (isolation === 'own' || options.services || options.nodeTimeoutMs) return createWorld(t, options)
  return isolation === 'emptied' ? emptiedWorld(t, options.settings) : sharedWorld(t, options.settings)
}

/** Stores files in a folder, or on an S3 server with `TEST_OBJECT_STORE=s3`, to run any test against S3. */
async function openFiles(t: Scope, folder: string): Promise<FileStore> {
  if (process.env.TEST_OBJECT_STORE !== 's3') return localFileStore(join(folder, 'objects'))
  // Imported only here, because it loads many files that few tests need.
  const { startS3Server } = await import('../platform/files/s3-server.fixture.ts')
  const directory = await mkdtemp(join(tmpdir(), 'pennypost-s3-'))
  const store = s3FileStore(await startS3Server(t, directory))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return store
}
