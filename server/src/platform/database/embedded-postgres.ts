import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstat, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createDataDir, explainingDataDir, isErrno, StartError } from '../data-dir.ts'
import { clusterName, endOrphanedPostgres } from './orphaned-postgres.ts'
import { choosePostgresAccount, spawnAs } from './postgres-account.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { type ClusterSettings, chownTo, PASSWORD_FILE, prepareCluster, reasonIn } from './postgres-cluster.ts'

export interface EmbeddedPostgres {
  /** For `pg`: a Unix socket, with the role and database `pennypost`. */
  url: string
  pid: number
  /** Resolves when the server has exited for any reason. */
  exited: Promise<void>
  stop(): Promise<void>
}

const PORT = 5432
const MAX_SOCKET_PATH = 103 // on macOS; Linux allows 107
const LOG_LIMIT_BYTES = 8 * 1024 * 1024
const FAST_SHUTDOWN_MS = 30_000

/** Starts the database in DATA_DIR, creating or repairing it first. The caller must hold the lock of DATA_DIR. */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  log: (line: string) => void
  /** Shows the operator what the start is waiting for. By default the log does. */
  announce?: (line: string) => void
  /** False in tests: nothing is flushed to disk. */
  durable?: boolean
}): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir)
  const clusterDir = join(dataDir, 'postgres')
  await createDataDir(dataDir)
  const binaries = await findPostgresBinaries()
  const account = await choosePostgresAccount({ dataDir, clusterDir, program: binaries.postgres })
  const place: ClusterSettings = {
    dataDir,
    clusterDir,
    binaries,
    account,
    durable: options.durable ?? true,
    log: options.log,
    announce: options.announce ?? options.log,
  }

  return explainingDataDir(options.dataDir, async () => {
    const password = await prepareCluster(place)
    await endOrphanedPostgres(clusterDir, place.log)
    const socketDir = await createSocketDir(place)
    return runServer(place, socketDir, password)
  })
}

/** The URL of the database of a service that is running in DATA_DIR. Needs read access to its password file. */
export async function urlOfRunningPostgres(dataDir: string): Promise<string> {
  const password = (await readFile(join(resolve(dataDir), PASSWORD_FILE), 'utf8')).trim()
  return urlOf(password, socketDirOf(resolve(dataDir)).path, 'pennypost')
}

const urlOf = (password: string, socketDir: string, database: string): string =>
  `postgresql://pennypost:${password}@/${database}?host=${encodeURIComponent(socketDir)}&port=${PORT}&sslmode=disable`

function socketDirOf(dataDir: string): { readonly inside: string; readonly path: string } {
  const fits = (path: string) => Buffer.byteLength(`${path}/.s.PGSQL.${PORT}`) <= MAX_SOCKET_PATH
  const inside = join(dataDir, 'postgres.socket')
  const name = `pennypost-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  return { inside, path: [inside, join(tmpdir(), name)].find(fits) ?? join('/tmp', name) }
}

/** A private folder for the socket. It is in DATA_DIR unless that path is too long for a socket. */
async function createSocketDir({ dataDir, account }: ClusterSettings): Promise<string> {
  const { inside, path } = socketDirOf(dataDir)

  // Any user could create this folder in /tmp before us and intercept connections.
  const found = await lstat(path).catch(() => undefined)
  const isOurs = found?.isDirectory() && found.uid === account.uid && (found.mode & 0o077) === 0
  if (found && !isOurs && path !== inside) {
    throw new StartError(`${path} belongs to another user: remove it, or choose a DATA_DIR with a shorter path`)
  }
  // A lock file left by an earlier server would be trusted if its process id is in use again.
  await rm(path, { recursive: true, force: true })
  await mkdir(path, { mode: 0o700 })
  await chownTo(path, account)
  return path
}

async function runServer(place: ClusterSettings, socketDir: string, password: string): Promise<EmbeddedPostgres> {
  const { account, binaries, clusterDir, dataDir } = place
  const logFile = join(dataDir, 'postgres.log')
  const settings = serverSettings(await clusterName(clusterDir), socketDir, place.durable)
  const command = [binaries.postgres, '-D', clusterDir, ...settings.flatMap((setting) => ['-c', setting])]
  await limitLog(logFile)
  const output = await open(logFile, 'a', 0o600)
  const logStart = (await output.stat()).size
  const child = spawnAs(account, command, { signalIfOrphaned: 'INT', stdout: output.fd, stderr: output.fd })
  await output.close()
  const limiting = setInterval(() => limitLog(logFile).catch(() => {}), 60_000).unref()

  const reasonOfEnd = async () =>
    child.signalCode ? `killed by ${child.signalCode}` : reasonIn(await logSince(logFile, logStart))
  let isServing = false
  const exited = new Promise<void>((done) => {
    child.once('error', () => done())
    child.once('exit', () => done())
  }).then(async () => {
    clearInterval(limiting)
    if (isServing) place.log(`PostgreSQL ended: ${await reasonOfEnd()}`)
  })
  const stop = async () => {
    isServing = false
    const forceStop = setTimeout(() => child.kill('SIGQUIT'), FAST_SHUTDOWN_MS)
    if (isRunning(child)) child.kill('SIGINT')
    await exited
    clearTimeout(forceStop)
    await rm(socketDir, { recursive: true, force: true })
  }

  try {
    await untilReady(child, urlOf(password, socketDir, 'postgres'), place.log)
  } catch (error) {
    const reason = isRunning(child) && error instanceof Error ? error.message : await reasonOfEnd()
    await stop()
    throw new StartError(`The database in DATA_DIR does not start: ${reason} (see ${logFile})`, { cause: error })
  }
  isServing = true
  return { url: urlOf(password, socketDir, 'pennypost'), pid: child.pid ?? 0, exited, stop }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null
}

/** Passed on the command line, so that they also apply to a cluster that an older release created. */
function serverSettings(name: string, socketDir: string, durable: boolean): string[] {
  const place = [
    'listen_addresses=',
    `port=${PORT}`,
    `unix_socket_directories="${socketDir.replaceAll('"', '""')}"`,
    'unix_socket_permissions=0700',
    `cluster_name=${name}`,
  ]
  const size = [
    // Tests open many services on one server.
    `max_connections=${durable ? 100 : 300}`,
    'shared_buffers=256MB',
    'work_mem=8MB',
    'max_wal_size=512MB',
    'min_wal_size=80MB',
  ]
  const planner = ['timezone=UTC', 'jit=off', 'random_page_cost=1.1', 'effective_cache_size=1GB']
  // Statements and error details contain personal data; the log is only about the server itself.
  const logging = [
    'log_timezone=UTC',
    'log_line_prefix=%m [%p] ',
    'log_error_verbosity=terse',
    'log_min_error_statement=panic',
    'log_checkpoints=off',
  ]
  const unsafe = durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
  return [...place, ...size, ...planner, ...logging, ...unsafe]
}

/** Waits until recovery is done, and creates our database if an interrupted first start did not. */
async function untilReady(child: ChildProcess, url: string, log: (line: string) => void) {
  const begun = Date.now()
  let hasLogged = false
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {}) // the connection may end with the server; the query fails too
    try {
      await client.connect()
      const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = 'pennypost'")
      if (rowCount === 0) await client.query('CREATE DATABASE pennypost')
      return
    } catch (error) {
      if (!isRunning(child) || !isErrno(error, 'ENOENT', 'ECONNREFUSED', 'ECONNRESET', '57P03')) throw error
    } finally {
      await client.end().catch(() => {})
    }
    if (!hasLogged && Date.now() - begun > 5_000) {
      hasLogged = true
      log('waiting for PostgreSQL, which may be recovering from an unclean stop')
    }
    await sleep(20)
  }
}

/** Rotates the log. PostgreSQL keeps the file open, so it is truncated in place; one old copy is kept. */
async function limitLog(logFile: string): Promise<void> {
  const found = await stat(logFile).catch(() => undefined)
  if (!found || found.size < LOG_LIMIT_BYTES) return
  await writeFile(`${logFile}.1`, await readFile(logFile), { mode: 0o600 })
  await writeFile(logFile, '')
}

async function logSince(logFile: string, start: number): Promise<string> {
  const log = await readFile(logFile)
  return log.subarray(start < log.length ? start : 0).toString()
}
