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
import { type Creator, type Reader, registerCreator, registerReader, type Wish } from './people.ts'
import { noteReached } from './reached-refusals.ts'
import { openOnce, type Scope } from './shared.ts'
import { cloneTestDatabase, emptyDatabase } from './test-database.ts'

/** The service in one process: a database of its own, a movable clock, captured mail, jobs that run when told. */
export interface World {
  readonly server: FastifyInstance
  readonly services: Services
  readonly origin: string
  /** Somebody without an account, at an address of their own. */
  stranger(): Person
  reader(wish?: Wish): Promise<Reader>
  creator(wish?: Wish): Promise<Creator>
  /** Runs jobs until quiet, one at a time; or so many. */
  settle(hands?: number): Promise<void>
  advance(seconds: number): Promise<void>
  /** Mail to an address, newest first. */
  mailTo(address: string): Promise<CapturedMail[]>
  /** Fails if a due job is left over, or something failed that nobody expected. Forgets what it found. */
  checkIsClean(): Promise<void>
}

export interface WorldOptions {
  readonly settings?: Readonly<Record<string, string>>
  readonly services?: Partial<Services>
  /** For tests of nodes that are silent: how long they are waited for. */
  readonly nodeTimeoutMs?: number
}

/** Somebody who calls the service. */
export class Person {
  readonly world: World
  readonly address: string
  token: string | undefined

  constructor(world: World, address: string, token?: string) {
    this.world = world
    this.address = address
    this.token = token
  }

  /** Calls an operation as the contract types it, and returns the answer whatever it is. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on the body it expects; the reply schema was checked already
  async calls<E extends Endpoint>(endpoint: E, input: ClientInput<E>): Promise<RawReply & { readonly body: any }> {
    return this.sends(endpoint, input as Record<string, unknown>)
  }

  /** The same for input that the types would refuse. */
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
    // Of its own: several worlds may share a Nano network.
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
      // Asking the rails would start the development ledger and chain, which most tests do without.
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
    settle: (hands) => runDueJobs({ jobs, services, pool, clock, log, metrics }, hands),
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
    // What failed while it was closed is a bug as well.
    if (bugs.length > 0) throw new Error(bugs.join('\n'))
    if (check[0].status === 'rejected') throw check[0].reason
  })
  return world
}

/**
 * Jobs that a test left to be done. The one that keeps lists true does not count: many changes enqueue it, and tests of
 * lists wait for it.
 */
async function takeDueJobs(pool: Pool, now: Date): Promise<string[]> {
  const sql = `DELETE FROM jobs WHERE run_at <= $1 AND dead_at IS NULL AND name <> 'index-stale-posts' RETURNING name`
  // Some tests take the database away.
  const { rows } = await pool.query<{ name: string }>(sql, [now]).catch(() => ({ rows: [] }))
  return rows.map(({ name }) => name)
}

/**
 * One world for all tests of a file with these settings: much cheaper than one for each. Tests make people of their own
 * and expect nothing of lists that show everybody.
 */
export async function sharedWorld(t: Scope, settings: WorldOptions['settings'] = {}): Promise<World> {
  const world = await openOnce(`world ${JSON.stringify(settings)}`, (scope) => createWorld(scope, { settings }))
  t.after(() => world.checkIsClean())
  return world
}

/**
 * The world that the file's tests share, with an empty database: for a test that counts everything there is, or whose
 * people have given names. What the service keeps in memory stays; a test that this hurts creates its own world.
 */
export async function emptiedWorld(t: Scope, settings: WorldOptions['settings'] = {}): Promise<World> {
  const world = await sharedWorld(t, settings)
  await emptyDatabase(world.services.pool)
  return world
}

/** How much of a world a test shares with the others of its file. */
export interface OpenWorldOptions extends WorldOptions {
  /** Left out: `shared`, and `own` where the world has services of the test's. */
  readonly isolation?: 'shared' | 'emptied' | 'own'
}

/** For fixtures, whose tests say how much they share. */
export function openWorld(t: Scope, { isolation = 'shared', ...options }: OpenWorldOptions = {}): Promise<World> {
  if (isolation === 'own' || options.services || options.nodeTimeoutMs) return createWorld(t, options)
  return isolation === 'emptied' ? emptiedWorld(t, options.settings) : sharedWorld(t, options.settings)
}

/** In a folder; with `TEST_OBJECT_STORE=s3` on an S3 server, so that whole rooms can be tried on one. */
async function openFiles(t: Scope, folder: string): Promise<FileStore> {
  if (process.env.TEST_OBJECT_STORE !== 's3') return localFileStore(join(folder, 'objects'))
  // A large program of many files, which few tests need.
  const { startS3Server } = await import('../platform/files/s3-server.fixture.ts')
  const directory = await mkdtemp(join(tmpdir(), 'pennypost-s3-'))
  const store = s3FileStore(await startS3Server(t, directory))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return store
}
