// One PostgreSQL server, which is a primary or a standby.
import { chownSync, mkdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createDisk } from './network/disk.mjs'
import { createProgram, findProgram, runAsServant, servant } from './program.mjs'

const pg = createRequire(new URL('../server/package.json', import.meta.url))('pg')

const replyMs = 2_000
const copySeconds = 60
const diskMegabytes = 2_048

export async function query(url, text, values, withinMs = 30_000) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: replyMs, query_timeout: withinMs })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(text, values)).rows
  } finally {
    // A frozen server never closes its connections.
    await Promise.race([client.end().catch(() => {}), wait(replyMs, undefined, { ref: false })])
    client.connection.stream.destroy()
  }
}

/** Whether the server replies soon. */
export const isThere = (url) =>
  query(url, 'SELECT 1', [], replyMs).then(
    () => true,
    () => false,
  )

export function createNode({ name, folder, port, connections, isFragile, isDurable = true }) {
  // A folder in a folder, because the outer one may be a disk, which cannot be deleted.
  mkdirSync(join(folder, name), { recursive: true })
  const disk = isFragile ? createDisk(join(folder, name), diskMegabytes) : undefined
  const data = join(folder, name, 'data')
  const settings = [
    ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`, `max_connections=${connections}`],
    ...['wal_level=replica', 'max_wal_senders=10', 'hot_standby=on', 'hot_standby_feedback=on', 'shared_buffers=256MB'],
    ...['max_wal_size=512MB', 'min_wal_size=80MB', 'max_slot_wal_keep_size=512MB'],
    // A standby that is cut off must not stop commits for the default of a minute.
    ...['wal_sender_timeout=3s', 'wal_receiver_timeout=3s', 'wal_receiver_status_interval=1s'],
    'wal_retrieve_retry_interval=500ms',
    ...(isDurable ? [] : ['fsync=off', 'full_page_writes=off']),
  ]
  const urlAt = (at, database) => `postgresql://pennypost@127.0.0.1:${at}/${database}`
  const urlOf = (database) => urlAt(port, database)
  const program = createProgram({
    name,
    asServant: true,
    logFile: join(folder, `${name}.log`),
    command: () => [findProgram('postgres'), '-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    isReady: async () => (await query(urlOf('postgres'), 'SELECT 1')).length === 1,
  })
  const empty = async () => {
    rmSync(data, { recursive: true, force: true })
    mkdirSync(data, { mode: 0o700 })
    if (servant) await giveAway(data)
  }
  return {
    ...program,
    port,
    disk,
    urlAt,
    urlOf,
    async create() {
      await empty()
      await runAsServant(findProgram('initdb'), [
        ...['-D', data, '--username=pennypost', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'],
      ])
    },
    /** Copies the primary, which it reaches at this port, into an empty folder. */
    async copyFrom(primaryPort) {
      await empty()
      const source = ['-h', '127.0.0.1', '-p', String(primaryPort), '-U', 'pennypost', '-D', data]
      const copy = [findProgram('pg_basebackup'), ...source, '-X', 'stream', '-R', '-C', '-S', 'standby', '-c', 'fast']
      await runAsServant('timeout', ['--signal=KILL', String(copySeconds), ...copy])
    },
  }
}

async function giveAway(path) {
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => Number(await runAsServant('id', [flag]))))
  chownSync(path, uid, gid)
}
