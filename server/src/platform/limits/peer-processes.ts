import { randomInt } from 'node:crypto'
import pg from 'pg'

/** The first half of the locks that say that a process serves people; the second is a number of its own. */
const lockClass = 20_021
const channel = 'peers'
const lookEveryMs = 1_000

export interface PeerProcesses {
  /** Whether another process serves people with the same database. While the database is away: as it was before. */
  exist(): boolean
  close(): Promise<void>
}

/** Announces this process to the others, and looks for them: at once when one comes, and every second. */
export async function watchPeerProcesses(databaseUrl: string): Promise<PeerProcesses> {
  const number = randomInt(1, 2 ** 31 - 1)
  let client: pg.Client | undefined
  let areThere = false
  let isClosed = false
  let looking = Promise.resolve()

  const open = async () => {
    const opening = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'pennypost peers',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    })
    const lost = () => {
      if (client === opening) client = undefined
    }
    opening.on('error', lost)
    opening.on('end', lost)
    opening.on('notification', look)
    try {
      await opening.connect()
      await opening.query('SELECT pg_advisory_lock($1, $2)', [lockClass, number])
      await opening.query(`LISTEN ${channel}`)
      await opening.query(`NOTIFY ${channel}`)
    } catch (error) {
      await opening.end().catch(() => {})
      throw error
    }
    client = opening
  }

  async function lookOnce(): Promise<void> {
    if (isClosed) return
    if (!client) await open()
    const { rows } = await client!.query<{ others: boolean }>(
      `SELECT count(*) > 1 AS others FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [lockClass],
    )
    areThere = rows[0]!.others
  }

  // One after the other: two at once would open two sessions.
  function look(): Promise<void> {
    looking = looking.then(lookOnce).catch(() => {})
    return looking
  }

  await look()
  const timer = setInterval(look, lookEveryMs).unref()
  return {
    exist: () => areThere,
    async close() {
      isClosed = true
      clearInterval(timer)
      await looking
      await client?.end().catch(() => {})
    },
  }
}
