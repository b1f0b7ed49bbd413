import pg from 'pg'
import type { Log } from '../log.ts'
import { within } from '../within.ts'
import type { AdvisoryLock } from './advisory-lock.ts'
import { createClient } from './client.ts'

/** Receives what any process sends with NOTIFY, over one connection that is reopened whenever it is lost. */
export interface Listener {
  /**
   * Calls `handle` with the payload of each notification on a channel, and with undefined whenever some may have been
   * missed: when the connection was opened, or opened again. Returns a function that stops it.
   */
  on(channel: string, handle: (payload: string | undefined) => void): () => void
  close(): Promise<void>
}

export interface ListeningConnection extends Listener {
  /** Resolves when the connection is open, its lock held and its channels listened to. Rejects if that fails. */
  connected(): Promise<void>
  query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>
}

export interface ListenerOptions {
  /** Shown to operators in `pg_stat_activity`. */
  readonly applicationName: string
  /**
   * An advisory lock that is held as long as the connection lasts, so that other processes can see that this one lives.
   * It is taken before anything is listened to, and again after every loss.
   */
  readonly lock?: AdvisoryLock
  /** Statements that run first on every new connection. */
  readonly settings?: string
}

const retryMs = 500
const queryTimeoutMs = 5_000
const closeMs = 500

/**
 * Only connections of this process take this lock. If the network was cut, PostgreSQL may not have noticed that an old one is
 * gone, and would keep its lock for hours.
 */
const endOldSessions = `
  SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objid = $2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/**
 * Opens its connection when it is first needed. The worker and the rate limiter use separate listeners: taking a lock
 * again may have to wait for the end of the old session, and others should not wait for that.
 */
export function openListener(databaseUrl: string, log: Log, options: ListenerOptions): ListeningConnection {
  const { applicationName, lock, settings } = options
  const handlersByChannel = new Map<string, Set<(payload: string | undefined) => void>>()
  let client: pg.Client | undefined
  let hasAskedForLock = false
  let connecting: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
  let hasFailed = false
  let isClosed = false

  async function open(): Promise<void> {
    const opening = createClient({
      connectionString: databaseUrl,
      application_name: applicationName,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      // Without it, a connection that falls silent now would keep everyone waiting forever.
      query_timeout: queryTimeoutMs,
    })
    const lost = () => {
      if (client !== opening) return
      client = undefined
      connectInBackground()
    }
    opening.on('error', lost)
    opening.on('end', lost)
    opening.on('notification', ({ channel, payload }) => {
      for (const handle of handlersByChannel.get(channel) ?? []) handle(payload)
    })
    try {
      await opening.connect()
      if (settings) await opening.query(settings)
      if (lock) await takeLock(opening, lock)
      for (const channel of handlersByChannel.keys()) await opening.query(`LISTEN ${channel}`)
    } catch (error) {
      await opening.end().catch(() => {})
      throw error
    }
    if (isClosed) return opening.end()
    client = opening
    hasFailed = false
    // Listens to channels that were added meanwhile too. What was sent before this was missed.
    for (const [channel, handlers] of handlersByChannel) {
      await opening.query(`LISTEN ${channel}`)
      for (const handle of handlers) handle(undefined)
    }
  }

  async function takeLock(on: pg.Client, { classId, id }: AdvisoryLock): Promise<void> {
    if (hasAskedForLock) await on.query(endOldSessions, [classId, id])
    hasAskedForLock = true
    await on.query('SELECT pg_advisory_lock($1, $2)', [classId, id])
  }

  function connect(): Promise<void> {
    connecting ??= open().finally(() => {
      connecting = undefined
    })
    return connecting
  }

  function connectInBackground(): void {
    if (isClosed || client) return
    connect().catch((error: Error) => {
      if (!hasFailed) log.warn({ cause: error.message, connection: applicationName }, 'cannot listen to the database')
      hasFailed = true
      clearTimeout(retry)
      retry = setTimeout(connectInBackground, retryMs)
      retry.unref()
    })
  }

  async function connected(): Promise<void> {
    if (isClosed) throw new Error('the listener is closed')
    if (!client) await connect()
  }

  return {
    on(channel, handle) {
      const handlers = handlersByChannel.get(channel)
      if (handlers) handlers.add(handle)
      else {
        handlersByChannel.set(channel, new Set([handle]))
        // What was sent before LISTEN is missed. If the connection breaks now, reconnecting listens to every channel.
        client?.query(`LISTEN ${channel}`).then(
          () => handle(undefined),
          () => {},
        )
      }
      connectInBackground()
      return () => {
        handlersByChannel.get(channel)?.delete(handle)
      }
    },
    connected,
    async query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
      await connected()
      const asked = client
      if (!asked) throw new Error('the connection was lost')
      try {
        return await asked.query<Row>({ ...query, query_timeout: queryTimeoutMs } as pg.QueryConfig)
      } catch (error) {
        // Without a reply in time the server hangs or its machine is gone, which TCP would notice in hours.
        if (!(error instanceof pg.DatabaseError)) asked.end().catch(() => {})
        throw error
      }
    },
    async close() {
      isClosed = true
      clearTimeout(retry)
      await connecting?.catch(() => {})
      const open = client
      client = undefined
      // The server may be gone.
      await within(closeMs, open?.end().catch(() => {}) ?? Promise.resolve())
    },
  }
}
