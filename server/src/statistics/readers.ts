import { createHmac } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Visit } from '@pennypost/contract/endpoint'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Tx } from '../platform/database/database.ts'
import { entriesAtMost } from '../platform/entries-at-most.ts'
import { clientAddress, clientNetwork } from '../platform/http/client-address.ts'
import { countReadersIn } from '../posts/post-figures.ts'
import type { PostServices } from '../posts/services.ts'
import { isBot, referringHost } from './visit.ts'

/** Counts the distinct readers of posts. */
export interface Readers {
  /** Notes a reader in memory, so that the request does not wait for the database. */
  note(postId: string, arrival: Arrival): void
  /** Stores the readers noted so far. */
  flush(): Promise<void>
  stop(): Promise<void>
}

interface Arrival {
  readonly ip: string
  readonly visit: Visit
  /** Whether the reader saw the paywall, because the post is for sale and they have no access. */
  readonly sawPaywall?: boolean
}

interface NotedVisit {
  readonly postId: string
  readonly reader: Buffer
  readonly host: string
  sawPaywall: boolean
}

const flushEveryMs = 10_000
/** Beyond this number, visits until the next flush are not counted. */
const maxNoted = 20_000
/** How many readers are recognized without hashing their address again. */
const maxKnown = 1_000
/** Their addresses are kept in memory no longer than this. */
const forgetMs = 600_000
/** How many visits one statement stores. It is short, so that concurrent readers hardly wait for it. */
const batchSize = 250
/** The pause between two statements. Storing `maxNoted` visits takes about as long as the time until the next flush. */
const pauseMs = 50
/** How many referring hosts are kept for a post and a day. The rest are counted together. */
export const maxHosts = 20

/**
 * A reader is an IP address (for IPv6 its /64, and a /48 is at most 32 readers), hashed with the month and a key, so that nobody can
 * be tracked. They are counted once a month: on the day on which they first opened the post, and on the day on which they
 * first saw its paywall.
 */
export function countReaders({
  db,
  clock,
  log,
  secrets,
}: Pick<PostServices, 'db' | 'clock' | 'log' | 'secrets'>): Readers {
  const noted = new Map<string, NotedVisit>()
  // Most who read, or ask for a price, ask for more within a moment.
  const known = new LRUCache<string, Buffer>({ ...entriesAtMost(maxKnown), ttl: forgetMs })
  const keep = (visit: NotedVisit) => {
    const key = `${visit.postId} ${visit.reader.toString('base64')}`
    const before = noted.get(key)
    if (before) before.sawPaywall ||= visit.sawPaywall
    else if (noted.size < maxNoted) noted.set(key, visit)
  }
  let stopping = false
  const storeNoted = async () => {
    const visits = [...noted.values()]
    noted.clear()
    const day = clock.now().toISOString().slice(0, 10)
    while (visits.length > 0) {
      const batch = visits.slice(-batchSize)
      try {
        await db.transaction().execute((tx) => storeVisits(tx, batch, day))
      } catch (error) {
        // Keep what is left for the next flush.
        for (const visit of visits) keep(visit)
        throw error
      }
      visits.length -= batch.length
      if (visits.length > 0 && !stopping) await wait(pauseMs)
    }
  }
  // One at a time, also when the process stops during one.
  let current: Promise<void> | undefined
  const flush = async () => {
    while (current) await current.catch(() => {})
    current = storeNoted().finally(() => {
      current = undefined
    })
    await current
  }
  const tryFlush = () =>
    flush().catch((error: Error) => log.warn({ cause: error.message }, 'readers could not be counted'))
  const timer = setInterval(() => current ?? tryFlush(), flushEveryMs)
  timer.unref()
  return {
    note(postId, { ip, visit, sawPaywall = false }) {
      if (isBot(visit)) return
      const month = clock.now().toISOString().slice(0, 7)
      const hash = (text: string) => createHmac('sha256', secrets.key('readers')).update(`${month} ${text}`).digest()
      const name = `${month} ${ip}`
      let reader = known.get(name)
      if (reader === undefined) {
        reader = readerOf(ip, hash)
        known.set(name, reader)
      }
      keep({ postId, reader, host: referringHost(visit), sawPaywall })
    },
    flush,
    async stop() {
      stopping = true
      clearInterval(timer)
      await tryFlush()
    },
  }
}

/** How many readers a /48 of IPv6 may be. */
const readersOfNetwork = 32

/**
 * The hash that identifies a reader. One customer may have a /48 with 65,536 household networks, so the hash of each maps
 * it to one of 32 readers.
 */
function readerOf(ip: string, hash: (text: string) => Buffer): Buffer {
  // A shortcut for IPv4, which most addresses are: this runs for every page.
  if (!ip.includes(':')) return hash(ip).subarray(0, 8)
  const [own, network] = [hash(clientAddress(ip)), clientNetwork(ip)]
  return (network === undefined ? own : hash(`${network} ${own[0]! % readersOfNetwork}`)).subarray(0, 8)
}

/**
 * Stores visits of different readers or posts in one statement. A post may have been deleted meanwhile, or be free now.
 * Processes take turns, so that together they keep no more hosts than allowed.
 */
async function storeVisits(tx: Tx, visits: readonly NotedVisit[], day: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('statistics', 0))`.execute(tx)
  const column = <Value>(of: (visit: NotedVisit) => Value) => visits.map(of)
  await sql`
    WITH visit AS MATERIALIZED (
      SELECT post.account_id, noted.post_id, noted.reader, noted.host,
        noted.saw_paywall AND post.has_paywall AND post.status = 'published' AS saw_paywall
      FROM unnest(${column(({ postId }) => postId)}::uuid[], ${column(({ reader }) => reader)}::bytea[],
          ${column(({ host }) => host)}::text[], ${column(({ sawPaywall }) => sawPaywall)}::boolean[])
        AS noted (post_id, reader, host, saw_paywall)
      JOIN posts post ON post.id = noted.post_id
    ), seen AS (
      INSERT INTO post_readers AS known (post_id, reader, seen_on, saw_paywall)
      SELECT post_id, reader, ${day}::date, saw_paywall FROM visit ORDER BY post_id, reader
      ON CONFLICT (post_id, reader) DO UPDATE SET saw_paywall = true WHERE excluded.saw_paywall AND NOT known.saw_paywall
      -- A row that was there already has been locked by this transaction.
      RETURNING post_id, reader, saw_paywall, xmax = 0 AS is_new
    ), arrived AS (
      SELECT visit.account_id, visit.post_id, visit.host, seen.is_new, seen.saw_paywall
      FROM seen JOIN visit ON visit.post_id = seen.post_id AND visit.reader = seen.reader
    ), day AS (
      INSERT INTO post_days AS known (account_id, day, post_id, readers, paywall_views)
      SELECT account_id, ${day}::date, post_id, count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE saw_paywall)
      FROM arrived GROUP BY account_id, post_id ORDER BY account_id, post_id
      ON CONFLICT (account_id, day, post_id) DO UPDATE SET readers = known.readers + excluded.readers,
        paywall_views = known.paywall_views + excluded.paywall_views
    ), source AS (
      SELECT account_id, post_id, host, count(*) AS readers FROM arrived WHERE is_new GROUP BY account_id, post_id, host
    ), ranked AS (
      SELECT source.*, source.host = '' OR known.host IS NOT NULL AS is_kept,
        row_number() OVER (PARTITION BY source.post_id, source.host = '' OR known.host IS NOT NULL
          ORDER BY source.readers DESC, source.host) + (
            SELECT count(*) FROM post_referrers kept WHERE kept.account_id = source.account_id AND kept.day = ${day}::date
              AND kept.post_id = source.post_id AND kept.host NOT IN ('', 'other')) AS place
      FROM source LEFT JOIN post_referrers known ON known.account_id = source.account_id AND known.day = ${day}::date
        AND known.post_id = source.post_id AND known.host = source.host
    ), referred AS (
      INSERT INTO post_referrers AS known (account_id, day, post_id, host, readers)
      SELECT account_id, ${day}::date, post_id, CASE WHEN is_kept OR place <= ${maxHosts} THEN host ELSE 'other' END AS host,
        sum(readers)
      FROM ranked GROUP BY 1, 3, 4 ORDER BY 1, 3, 4
      ON CONFLICT (account_id, day, post_id, host) DO UPDATE SET readers = known.readers + excluded.readers
    )
    ${sql.raw(countReadersIn('(SELECT post_id FROM seen WHERE is_new) AS new_reader'))}`.execute(tx)
}
