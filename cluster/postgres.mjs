// A primary and a standby. `superviseFailover` decides which one takes writes; elsewhere Patroni does that.
import { setTimeout as wait } from 'node:timers/promises'
import { directLinks } from './network/links.mjs'
import { createNode, isThere, query } from './postgres-node.mjs'

export { query }

const checkMs = 500
/** The standby takes over after this many failed checks in a row. */
const maxMissed = 4
/** How long PostgreSQL's processes may take to read a changed setting. */
const noticeMs = 300
const followMs = 30_000

export async function openPostgres({ folder, ports, connections, links = directLinks(), ...ofNodes }) {
  const nodes = ['postgres-1', 'postgres-2'].map((name, index) =>
    createNode({ name, folder, port: ports[index], connections, ...ofNodes }),
  )
  let [primary, standby] = nodes
  const takeovers = []
  let isClosed = false
  // Whether commits wait for the standby, so that it has everything.
  let isSynchronous = false
  let watching = Promise.resolve()

  /** The address at which `superviseFailover` sees a node. It can be cut off, too. */
  const seen = async (node) => node.urlAt(await links.port('supervisor', node.name, node.port), 'postgres')

  await primary.create()
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
    await standby.copyFrom(await links.port(standby.name, primary.name, primary.port))
    await standby.start()
    const until = Date.now() + followMs
    while (!(await isFollowing())) {
      if (Date.now() > until) throw new Error('the standby does not follow')
      await wait(100)
    }
    // From now on a commit waits for the standby, so a takeover loses nothing.
    await setSynchronous(true)
  }

  async function isFollowing() {
    const text = "SELECT FROM pg_stat_replication WHERE state = 'streaming'"
    return (await query(await seen(primary), text, [], checkMs * maxMissed).catch(() => [])).length > 0
  }

  /** Takes over only what is synchronous for certain: off before commits stop to wait, on after all of them do. */
  async function setSynchronous(isOn) {
    const names = isOn ? "'ANY 1 (*)'" : "''"
    if (!isOn) isSynchronous = false
    // Without waiting for the standby ourselves, which may be gone.
    await query(primary.urlOf('postgres'), `ALTER SYSTEM SET synchronous_standby_names = ${names}`)
    await query(primary.urlOf('postgres'), 'SELECT pg_reload_conf()')
    if (!isOn) return
    await wait(noticeMs)
    isSynchronous = await isFollowing()
  }

  /** Nothing happens if it takes writes already. */
  const promote = () =>
    query(
      primary.urlOf('postgres'),
      'SELECT pg_promote(true, 60) FROM pg_is_in_recovery() AS is_standby WHERE is_standby',
    )

  async function takeOver(onTakeover) {
    const began = Date.now()
    // It must not come back and take writes, too.
    await primary.kill()
    ;[primary, standby] = [standby, primary]
    isSynchronous = false
    await promote()
    await setSynchronous(false)
    await onTakeover(primary)
    takeovers.push({ primary: primary.name, seconds: (Date.now() - began) / 1_000 })
    await follow()
  }

  /** It may be a standby that died while it was about to take over. */
  async function restart(onTakeover) {
    await primary.kill()
    await primary.start()
    await promote()
    await onTakeover(primary)
  }

  /** Watches both until `close`, and repairs what is broken. */
  async function watch(onTakeover) {
    let missed = 0
    while (!isClosed) {
      try {
        const isAlive = await isThere(await seen(primary))
        missed = isAlive ? 0 : missed + 1
        if (!primary.isRunning() || missed >= maxMissed) {
          if (isSynchronous && standby.isRunning()) await takeOver(onTakeover)
          else await restart(onTakeover)
          missed = 0
        } else if (isAlive && !(await isFollowing())) {
          // Commits must not wait for a standby that is gone.
          if (isSynchronous) await setSynchronous(false)
          if (standby.isRunning()) await wait(checkMs)
          if (!(await isFollowing())) await follow()
          else await setSynchronous(true)
        } else if (isAlive && !isSynchronous) {
          // It came back after the primary was started again.
          await setSynchronous(true)
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
