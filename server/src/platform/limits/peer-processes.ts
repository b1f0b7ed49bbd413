import { randomInt } from 'node:crypto'
import { openListener } from '../database/listener.ts'
import type { Log } from '../log.ts'

/** Each advisory lock of this class is a process that serves requests. */
const lockClass = 20_021
const channel = 'peers'
const lookEveryMs = 1_000

export interface PeerProcesses {
  /** Whether another process serves requests with the same database. While the database is down: the last known answer. */
  exist(): boolean
  close(): Promise<void>
}

/** Announces this process to its peers and looks for them: whenever one announces itself, and every second. */
export async function watchPeerProcesses(databaseUrl: string, log: Log): Promise<PeerProcesses> {
  const lock = { classId: lockClass, id: randomInt(1, 2 ** 31 - 1) }
  const listener = openListener(databaseUrl, log, { applicationName: 'pennypost peers', lock })
  let exist = false
  let isClosed = false
  let looking = Promise.resolve()

  const announce = () => listener.query({ text: `NOTIFY ${channel}` })

  async function countPeers(): Promise<void> {
    if (isClosed) return
    const { rows } = await listener.query<{ exist: boolean }>({
      text: `SELECT count(*) > 1 AS exist FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      values: [lockClass],
    })
    exist = rows[0]!.exist
  }

  function look(): Promise<void> {
    looking = looking.then(countPeers).catch(() => {})
    return looking
  }

  listener.on(channel, (payload) => {
    // Connected, or connected again: the lock is held, and the others can be notified.
    if (payload === undefined)
      looking = looking
        .then(announce)
        .then(countPeers)
        .catch(() => {})
    else look()
  })
  await look()
  const timer = setInterval(look, lookEveryMs).unref()
  return {
    exist: () => exist,
    async close() {
      isClosed = true
      clearInterval(timer)
      await looking
      await listener.close()
    },
  }
}
