import type pg from 'pg'
import type { Log } from '../log.ts'
import { type Database, isDatabaseUnavailable, openDatabase, overTime, standby } from './database.ts'

/** A copy of the database that follows it, for reads that may be a few seconds old. */
export interface Replica extends Pick<Database, 'db' | 'pool' | 'searchPool'> {
  /** Whether it has everything that was committed a few seconds ago. Otherwise the primary is asked. */
  isFresh(): boolean
  /** Reads from the replica, or from the primary if the replica fails. */
  read<Value>(fromReplica: () => Promise<Value>, fromPrimary: () => Promise<Value>): Promise<Value>
  close(): Promise<void>
}

export interface ReplicaOptions {
  readonly connections: number
  readonly searchConnections: number
  /** How many seconds it may be behind. */
  readonly maxLagSeconds: number
}

const lookEveryMs = 1_000
/** A check that takes longer proves nothing: the replica may have stopped since the last one. */
const lookMs = 2_000

/** Opens the replica and looks every second how far behind it is. */
export function openReplica(url: string, primary: pg.Pool, log: Log, options: ReplicaOptions): Replica {
  const { db, pool, searchPool, close } = openDatabase(url, log, options)
  // Where the primary's log ended at each of the last looks, the oldest first.
  const ends: { readonly at: number; readonly end: string }[] = []
  let isFresh = false
  /** What the log said last. Undefined until the replica was fresh once, or was not in the time that it may be behind. */
  let saidFresh: boolean | undefined
  const openedAt = performance.now()
  let freshUntil = Number.NEGATIVE_INFINITY
  let isClosed = false

  async function look(): Promise<void> {
    const { rows: ahead } = await primary.query<{ end: string }>('SELECT pg_current_wal_insert_lsn()::text AS end')
    const at = performance.now()
    ends.push({ at, end: ahead[0]!.end })
    // By time, not by number: looks are rarer while a database is slow.
    while (ends.length > 1 && at - ends[1]!.at >= options.maxLagSeconds * 1000) ends.shift()
    const { rows } = await pool.query<{ fresh: boolean | null }>(
      'SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn AS fresh',
      [ends[0]!.end],
    )
    setFresh(rows[0]!.fresh === true)
  }

  function setFresh(now: boolean, cause?: string): void {
    // The first look after a start may find it a moment behind. One that cannot be reached then was perhaps mistyped.
    const isKnown =
      now ||
      saidFresh !== undefined ||
      cause !== undefined ||
      performance.now() - openedAt > options.maxLagSeconds * 1000
    if (isKnown && now !== saidFresh) {
      if (now) log.info('the replica answers public reads')
      else log.warn({ cause }, 'the replica is behind or unreachable: the primary answers all reads')
      saidFresh = now
    }
    isFresh = now
    freshUntil = performance.now() + lookEveryMs + lookMs
  }

  const watch = async () => {
    while (!isClosed) {
      await look().catch((error: Error) => setFresh(false, error.message))
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs).unref())
    }
  }
  void watch()

  return {
    db,
    pool,
    searchPool,
    isFresh: () => isFresh && performance.now() < freshUntil,
    async read(fromReplica, fromPrimary) {
      try {
        return await fromReplica()
      } catch (error) {
        const { code, message } = error as Error & { readonly code?: string }
        // A query that takes too long here would take too long on the primary too.
        if (!isDatabaseUnavailable(error) || code === overTime) throw error
        // A read that turned out to write says nothing about the replica. A query that was cancelled because it blocked
        // replication does.
        if (code !== standby) setFresh(false, message)
        return fromPrimary()
      }
    },
    async close() {
      isClosed = true
      await close()
    },
  }
}
