import pg from 'pg'
import type { Log } from '../log.ts'

/** Hears what transactions of any process tell with NOTIFY. One connection, however many listen. */
export interface Listener {
  /**
   * Calls back with what was told on a channel, and with undefined when something may have been missed. Answers how to
   * stop.
   */
  on(channel: string, hear: (payload: string | undefined) => void): () => void
  close(): Promise<void>
}

const pauseMs = 500

/** Connects when somebody listens first, and again whenever the connection is lost. */
export function openListener(databaseUrl: string, log: Log): Listener {
  const listening = new Map<string, Set<(payload: string | undefined) => void>>()
  let client: pg.Client | undefined
  let connecting: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
  let isClosed = false

  async function connect(): Promise<void> {
    const opening = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'pennypost listener',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    })
    const lost = () => {
      if (client !== opening) return
      client = undefined
      connectLater()
    }
    opening.on('error', lost)
    opening.on('end', lost)
    opening.on('notification', ({ channel, payload }) => {
      for (const hear of listening.get(channel) ?? []) hear(payload)
    })
    try {
      await opening.connect()
      for (const channel of listening.keys()) await opening.query(`LISTEN ${channel}`)
    } catch (error) {
      await opening.end().catch(() => {})
      throw error
    }
    if (isClosed) return opening.end()
    client = opening
    // Channels that were added meanwhile, and everything that was told while nobody heard it.
    for (const [channel, hearers] of listening) {
      await opening.query(`LISTEN ${channel}`)
      for (const hear of hearers) hear(undefined)
    }
  }

  function connectNow(): void {
    if (isClosed || client || connecting) return
    connecting = connect()
      .catch((error: Error) => {
        log.warn({ cause: error.message }, 'the database cannot be listened to yet')
        connectLater()
      })
      .finally(() => {
        connecting = undefined
      })
  }

  function connectLater(): void {
    if (isClosed) return
    clearTimeout(retry)
    retry = setTimeout(connectNow, pauseMs)
    retry.unref()
  }

  return {
    on(channel, hear) {
      const hearers = listening.get(channel)
      if (hearers) hearers.add(hear)
      else {
        listening.set(channel, new Set([hear]))
        // What was told before the database knows that we listen is missed. A connection that breaks now says so
        // itself, and listens to everything when it is back.
        client?.query(`LISTEN ${channel}`).then(
          () => hear(undefined),
          () => {},
        )
      }
      connectNow()
      return () => {
        listening.get(channel)?.delete(hear)
      }
    },
    async close() {
      isClosed = true
      clearTimeout(retry)
      await connecting
      const open = client
      client = undefined
      await open?.end().catch(() => {})
    },
  }
}
