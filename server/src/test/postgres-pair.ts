import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { choosePostgresAccount, type PostgresAccount, spawnAs } from '../platform/database/postgres-account.ts'
import { findPostgresBinaries, type PostgresBinaries } from '../platform/database/postgres-binaries.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

export interface PostgresPair {
  /** Names both hosts. */
  readonly url: string
  readonly urls: readonly [primary: string, standby: string]
  /** Kills the primary as a power failure would. */
  killPrimary(): Promise<void>
  killStandby(): Promise<void>
  /** The standby takes over. */
  promote(): Promise<void>
}

/** A PostgreSQL and a standby that has every commit before the client gets the reply. */
export async function startPostgresPair(t: TestContext): Promise<PostgresPair> {
  const folder = await mkdtemp(join(tmpdir(), 'postgres-pair-'))
  const running: ChildProcess[] = []
  t.after(async () => {
    for (const child of running) await kill(child)
    await rm(folder, { recursive: true, force: true })
  })
  const binaries = await findPostgresBinaries()
  const places = [join(folder, 'primary'), join(folder, 'standby')] as const
  const account = await choosePostgresAccount({ dataDir: folder, clusterDir: places[0], program: binaries.postgres })
  const host = { binaries, account }
  if (!account.isSelf) await chown(folder, account.uid, account.gid)
  await createCluster(host, places[0])
  const ports = [await freePort(), await freePort()] as const
  const urls = [urlOf(ports[0]), urlOf(ports[1])] as const
  const start = async (place: string, port: number, ...settings: string[]) => {
    const child = run(host, place, port, settings)
    running.push(child)
    await until('PostgreSQL accepts connections', () => canConnect(urlOf(port, 'postgres')))
    return child
  }

  const primary = await start(places[0], ports[0])
  await withClient(urlOf(ports[0], 'postgres'), async (client) => {
    await client.query('CREATE DATABASE pennypost')
    await copyCluster(client, host, places)
  })
  const source = `primary_conninfo=host=127.0.0.1 port=${ports[0]} user=pennypost application_name=standby`
  const standby = await start(places[1], ports[1], source)
  await withClient(urls[0], async (client) => {
    await until('the standby follows', async () => (await client.query('SELECT FROM pg_stat_replication')).rowCount)
    await client.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
    await client.query('SELECT pg_reload_conf()')
  })
  return {
    url: `postgresql://pennypost@127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}/pennypost`,
    urls,
    killPrimary: () => kill(primary),
    killStandby: () => kill(standby),
    promote: () =>
      withClient(urls[1], async (client) => {
        // It has the setting of the primary, and nobody to wait for.
        await client.query("SELECT pg_promote(true, 60), set_config('synchronous_commit', 'local', false)")
        await client.query('ALTER SYSTEM RESET synchronous_standby_names')
        await client.query('SELECT pg_reload_conf()')
      }),
  }
}

interface Host {
  readonly binaries: PostgresBinaries
  readonly account: PostgresAccount
}

const urlOf = (port: number, database = 'pennypost'): string => `postgresql://pennypost@127.0.0.1:${port}/${database}`

async function createCluster({ binaries, account }: Host, place: string): Promise<void> {
  const options = ['--username=pennypost', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale-provider=builtin']
  const initdb = [binaries.initdb, `--pgdata=${place}`, ...options, '--locale=C.UTF-8']
  const child = spawnAs(account, initdb, { signalIfOrphaned: 'KILL', stdout: 'ignore', stderr: 'ignore' })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`initdb failed (${code})`)
}

function run({ binaries, account }: Host, place: string, port: number, more: readonly string[]): ChildProcess {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`, 'fsync=off', ...more]
  const command = [binaries.postgres, '-D', place, ...settings.flatMap((setting) => ['-c', setting])]
  return spawnAs(account, command, { signalIfOrphaned: 'KILL', stdout: 'ignore', stderr: 'ignore' })
}

/** Copies the files of a running cluster, as `pg_basebackup` does, which is not among the embedded programs. */
async function copyCluster(client: pg.Client, { account }: Host, [from, to]: readonly [string, string]): Promise<void> {
  await client.query("SELECT pg_backup_start('standby', true)")
  const isOfProcess = (path: string) => /postmaster\.(pid|opts)$/.test(path)
  await cp(from, to, { recursive: true, filter: (path) => !isOfProcess(path) })
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)')
  await writeFile(join(to, 'backup_label'), rows[0]!.labelfile)
  await writeFile(join(to, 'standby.signal'), '')
  // The last segment may have been copied before it was complete.
  await cp(join(from, 'pg_wal'), join(to, 'pg_wal'), { recursive: true, force: true })
  await mkdir(join(to, 'pg_wal', 'archive_status'), { recursive: true })
  if (!account.isSelf) await giveAll(to, account)
}

async function giveAll(folder: string, { uid, gid }: PostgresAccount): Promise<void> {
  await chown(folder, uid, gid)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await chown(join(entry.parentPath, entry.name), uid, gid)
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const canConnect = (url: string): Promise<boolean> => withClient(url, async () => true).catch(() => false)

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}
