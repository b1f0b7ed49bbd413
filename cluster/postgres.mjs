// A primary and a standby. Somebody has to decide which one takes writes: here that is `superviseFailover`, elsewhere Patroni.
import { chownSync, mkdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createProgram, findProgram, runAsServant, servant } from './program.mjs'

const pg = createRequire(new URL('../server/package.json', import.meta.url))('pg')

const checkMs = 500
const replyMs = 2_000
/** So many checks in a row without a reply, and the standby takes over. */
const mostMissed = 4

export async function query(url, text, values) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: replyMs, query_timeout: 30_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(text, values)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

export async function openPostgres({ folder, ports, connections }) {
  const nodes = ['postgres-1', 'postgres-2'].map((name, index) =>
    createNode({ name, folder, port: ports[index], connections }),
  )
  let [primary, standby] = nodes
  const takeovers = []
  let isClosed = false
  // Whether commits wait for the standby, so that it has everything.
  let isSynchronous = false
  let watching = Promise.resolve()

  primary.create()
  await primary.start()
  await query(primary.urlOf('postgres'), 'CREATE DATABASE pennypost')
  await follow()

  /** Copies the primary into an empty folder, and follows it from there. */
  async function follow() {
    await standby.kill()
    await query(
      primary.urlOf('postgres'),
      'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots',
    ).catch(() => {})
    standby.copyFrom(primary)
    await standby.start()
    while (!(await isFollowing())) await wait(100)
    // From now on a commit waits for the standby, so a takeover loses nothing.
    await setSynchronous(true)
  }

  async function isFollowing() {
    const rows = await query(
      primary.urlOf('postgres'),
      "SELECT FROM pg_stat_replication WHERE state = 'streaming'",
    ).catch(() => [])
    return rows.length > 0
  }

  async function setSynchronous(isOn) {
    const names = isOn ? "'ANY 1 (*)'" : "''"
    // Without waiting for the standby ourselves, which may be gone.
    await query(primary.urlOf('postgres'), `ALTER SYSTEM SET synchronous_standby_names = ${names}`)
    await query(primary.urlOf('postgres'), 'SELECT pg_reload_conf()')
    isSynchronous = isOn
  }

  async function takeOver(onTakeover) {
    const began = Date.now()
    // It must not come back and take writes, too.
    await primary.kill()
    ;[primary, standby] = [standby, primary]
    await query(primary.urlOf('postgres'), 'SELECT pg_promote(true, 60)')
    await setSynchronous(false)
    await onTakeover(primary)
    takeovers.push({ primary: primary.name, seconds: (Date.now() - began) / 1_000 })
    await follow()
  }

  /** Watches both until `close`, and repairs what is broken. */
  async function watch(onTakeover) {
    let missed = 0
    while (!isClosed) {
      try {
        const isThere = await query(primary.urlOf('postgres'), 'SELECT 1').then(
          () => true,
          () => false,
        )
        missed = isThere ? 0 : missed + 1
        if (!primary.isRunning() || missed >= mostMissed) {
          if (isSynchronous && standby.isRunning()) await takeOver(onTakeover)
          else await primary.kill().then(() => primary.start())
          missed = 0
        } else if (isThere && !(await isFollowing())) {
          // Commits must not wait for a standby that is gone.
          if (isSynchronous) await setSynchronous(false)
          if (standby.isRunning()) await wait(checkMs)
          if (!(await isFollowing())) await follow()
          else await setSynchronous(true)
        }
      } catch (error) {
        if (!isClosed) console.error(`failover: ${error.message}`)
      }
      await wait(checkMs)
    }
  }

  return {
    nodes,
    primary: () => primary,
    standby: () => standby,
    takeovers,
    /** Whether the standby has everything, so that it may take over. */
    isSafe: () => isSynchronous && primary.isRunning() && standby.isRunning(),
    superviseFailover(onTakeover) {
      watching = watch(onTakeover)
    },
    /** Both hosts, for the service; it finds out itself which one takes writes. */
    url: `postgresql://pennypost@${nodes.map(({ port }) => `127.0.0.1:${port}`).join()}/pennypost`,
    async close() {
      isClosed = true
      // Or what is stopped here would be started there.
      await watching
      for (const node of [standby, primary]) await node.stop('SIGINT')
    },
  }
}

function createNode({ name, folder, port, connections }) {
  const data = join(folder, name)
  const settings = [
    ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`, `max_connections=${connections}`],
    ...['wal_level=replica', 'max_wal_senders=10', 'hot_standby=on', 'hot_standby_feedback=on', 'shared_buffers=256MB'],
  ]
  const urlOf = (database) => `postgresql://pennypost@127.0.0.1:${port}/${database}`
  const program = createProgram({
    name,
    asServant: true,
    logFile: join(folder, `${name}.log`),
    command: () => [findProgram('postgres'), '-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    isReady: async () => (await query(urlOf('postgres'), 'SELECT 1')).length === 1,
  })
  const empty = () => {
    rmSync(data, { recursive: true, force: true })
    mkdirSync(data, { mode: 0o700 })
    if (servant) runOwned(data)
  }
  return {
    ...program,
    port,
    urlOf,
    create() {
      empty()
      runAsServant(findProgram('initdb'), [
        ...['-D', data, '--username=pennypost', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'],
      ])
    },
    copyFrom(primary) {
      empty()
      const source = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'pennypost']
      runAsServant(findProgram('pg_basebackup'), [
        ...source,
        '-D',
        data,
        '-X',
        'stream',
        '-R',
        '-C',
        '-S',
        'standby',
        '-c',
        'fast',
      ])
    },
  }
}

function runOwned(path) {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(runAsServant('id', [flag])))
  chownSync(path, uid, gid)
}
