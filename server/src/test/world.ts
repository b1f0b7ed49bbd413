import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { CapturedMail } from '@pennypost/contract/dev'
import type { ClientInput, Endpoint } from '@pennypost/contract/endpoint'
import { type RawReply, send } from '@pennypost/sdk/client'
import type { FastifyInstance } from 'fastify'
import { createApp, jobs } from '../app.ts'
import { movableClock } from '../platform/clock.ts'
import { createClosers } from '../platform/closers.ts'
import { type Config, readConfig } from '../platform/config.ts'
import { listCapturedMail } from '../platform/development/captured-mail.ts'
import { type FileStore, localFileStore } from '../platform/files/file-store.ts'
import { s3FileStore } from '../platform/files/s3-file-store.ts'
import { runDueJobs } from '../platform/jobs/run-job.ts'
import { createLog } from '../platform/log.ts'
import { secretsFrom } from '../platform/secrets.ts'
import { openServices, type Services } from '../services.ts'
import { borrowTestChain } from './base-chain.ts'
import { injectFetch } from './inject-fetch.ts'
import { type Creator, type Reader, registerCreator, registerReader, type Wish } from './people.ts'
import { cloneTestDatabase } from './test-database.ts'

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

export async function createWorld(t: TestContext, options: WorldOptions = {}): Promise<World> {
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
  const server = await createApp(services, { temporaryFolder: folder, checkReplies: true, onBug })

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
  }
  t.after(async () => {
    // But for what keeps lists true: the database promises it with many a change, and tests of lists wait for it.
    const leftOver = await pool
      .query<{ task: string }>(
        `SELECT name AS task FROM jobs WHERE run_at <= $1 AND dead_at IS NULL AND name <> 'index-stale-posts'`,
        [clock.now()],
      )
      .catch(() => ({ rows: [] }))
    services.orderEvents.close()
    await server.close()
    await closers.closeAll()
    await testDatabase.drop()
    await rm(folder, { recursive: true, force: true })
    if (bugs.length > 0) throw new Error(`nobody expected this:\n${bugs.join('\n')}`)
    if (leftOver.rows.length > 0) throw new Error(`jobs left over: ${leftOver.rows.map((row) => row.task).join(', ')}`)
  })
  return world
}

/** In a folder; with `TEST_OBJECT_STORE=s3` on an S3 server, so that whole rooms can be tried on one. */
async function openFiles(t: TestContext, folder: string): Promise<FileStore> {
  if (process.env.TEST_OBJECT_STORE !== 's3') return localFileStore(join(folder, 'objects'))
  // A large program of many files, which few tests need.
  const { startS3Server } = await import('../platform/files/s3-server.fixture.ts')
  const directory = await mkdtemp(join(tmpdir(), 'pennypost-s3-'))
  const store = s3FileStore(await startS3Server(t, directory))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return store
}
