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
import { type ClusterPlace, give, PASSWORD_FILE, prepareCluster, reasonIn } from './postgres-cluster.ts'

export interface EmbeddedPostgres {
  /** For `pg`: a unix socket, role and database `pennypost`. */
  url: string
  pid: number
  /** Resolves when the server has ended, for whatever reason. */
  exited: Promise<void>
  stop(): Promise<void>
}

const PORT = 5432
const LONGEST_SOCKET_PATH = 103 // of macOS; Linux allows 107
const LOG_LIMIT_BYTES = 8 * 1024 * 1024
const FAST_SHUTDOWN_MS = 30_000

/** Starts the database that lives in DATA_DIR, creating or repairing it first. The caller holds the lock of DATA_DIR. */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  log: (line: string) => void
  /** False for tests: nothing is flushed to disk. */
  durable?: boolean
}): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir)
  const clusterDir = join(dataDir, 'postgres')
  await createDataDir(dataDir)
  const binaries = await findPostgresBinaries()
  const account = await choosePostgresAccount({ dataDir, clusterDir, program: binaries.postgres })
  const place: ClusterPlace = {
    dataDir,
    clusterDir,
    binaries,
    account,
    durable: options.durable ?? true,
    log: options.log,
  }

  return explainingDataDir(options.dataDir, async () => {
    const password = await prepareCluster(place)
    await endOrphanedPostgres(clusterDir, place.log)
    const socketDir = await createSocketDir(place)
    return runServer(place, socketDir, password)
  })
}

/** Where the database of a service that runs in DATA_DIR is reached, by whoever may read its password there. */
export async function urlOfRunningPostgres(dataDir: string): Promise<string> {
  const password = (await readFile(join(resolve(dataDir), PASSWORD_FILE), 'utf8')).trim()
  return urlOf(password, socketDirOf(resolve(dataDir)).path, 'pennypost')
}

const urlOf = (password: string, socketDir: string, database: string): string =>
  `postgresql://pennypost:${password}@/${database}?host=${encodeURIComponent(socketDir)}&port=${PORT}&sslmode=disable`

function socketDirOf(dataDir: string): { readonly inside: string; readonly path: string } {
  const fits = (path: string) => Buffer.byteLength(`${path}/.s.PGSQL.${PORT}`) <= LONGEST_SOCKET_PATH
  const inside = join(dataDir, 'postgres.socket')
  const name = `pennypost-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  return { inside, path: [inside, join(tmpdir(), name)].find(fits) ?? join('/tmp', name) }
}

/** A folder for the socket alone, closed to others. In DATA_DIR unless the path is too long for a socket. */
async function createSocketDir({ dataDir, account }: ClusterPlace): Promise<string> {
  const { inside, path } = socketDirOf(dataDir)

  // Anyone may make a folder in /tmp under the name we would choose, and would then see who connects.
  const found = await lstat(path).catch(() => undefined)
  const isOurs = found?.isDirectory() && found.uid === account.uid && (found.mode & 0o077) === 0
  if (found && !isOurs && path !== inside) {
    throw new StartError(`${path} is somebody else's: remove it, or choose a DATA_DIR with a shorter path`)
  }
  // The server of an earlier run is gone, and what it left would be believed if its process id is in use again.
  await rm(path, { recursive: true, force: true })
  await mkdir(path, { mode: 0o700 })
  await give(path, account)
  return path
}

async function runServer(place: ClusterPlace, socketDir: string, password: string): Promise<EmbeddedPostgres> {
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
    const impatience = setTimeout(() => child.kill('SIGQUIT'), FAST_SHUTDOWN_MS)
    if (isRunning(child)) child.kill('SIGINT')
    await exited
    clearTimeout(impatience)
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

/** Given on the command line, so that an older cluster follows the release that runs it. */
function serverSettings(name: string, socketDir: string, durable: boolean): string[] {
  const place = [
    'listen_addresses=',
    `port=${PORT}`,
    `unix_socket_directories="${socketDir.replaceAll('"', '""')}"`,
    'unix_socket_permissions=0700',
    `cluster_name=${name}`,
  ]
  const size = [
    'max_connections=100',
    'shared_buffers=256MB',
    'work_mem=8MB',
    'max_wal_size=512MB',
    'min_wal_size=80MB',
  ]
  const taste = ['timezone=UTC', 'jit=off', 'random_page_cost=1.1', 'effective_cache_size=1GB']
  // Statements and the details of errors hold readers' data; the log is for what happens to the server.
  const logging = [
    'log_timezone=UTC',
    'log_line_prefix=%m [%p] ',
    'log_error_verbosity=terse',
    'log_min_error_statement=panic',
    'log_checkpoints=off',
  ]
  const careless = durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
  return [...place, ...size, ...taste, ...logging, ...careless]
}

/** Waits as long as recovery takes, and makes our database where a first start ended before it. */
async function untilReady(child: ChildProcess, url: string, log: (line: string) => void) {
  const begun = Date.now()
  let hasSaidSo = false
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {}) // the connection may end with the server; the query says so too
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
    if (!hasSaidSo && Date.now() - begun > 5_000) {
      hasSaidSo = true
      log('waiting for PostgreSQL, which may be recovering from an unclean stop')
    }
    await sleep(20)
  }
}

/** PostgreSQL appends to the open file, so it is emptied in place; one older part is kept. */
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
