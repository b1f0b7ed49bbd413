import { createHmac } from 'node:crypto'
import type { AccessServices } from '../access/services.ts'
import { countReadersIn } from '../posts/post-figures.ts'

/** Counts the distinct readers of posts. */
export interface Readers {
  /** Notes a reader in memory, so that the request does not wait for the database. */
  note(postId: string, person: string): void
  /** Stores the readers noted so far. */
  flush(): Promise<void>
  stop(): Promise<void>
}

const flushEveryMs = 10_000
/** Beyond this number, visits until the next flush are not counted. */
const maxNoted = 20_000

/** A reader is an IP address, hashed with a key that changes every month, so that nobody can be tracked. */
export function countReaders({
  pool,
  clock,
  log,
  secrets,
}: Pick<AccessServices, 'pool' | 'clock' | 'log' | 'secrets'>): Readers {
  const noted = new Map<string, { postId: string; reader: Buffer }>()
  const keep = (visit: { postId: string; reader: Buffer }) => {
    if (noted.size < maxNoted) noted.set(`${visit.postId} ${visit.reader.toString('base64')}`, visit)
  }
  const flush = async () => {
    const visits = [...noted.values()]
    if (visits.length === 0) return
    noted.clear()
    const values = [
      visits.map(({ postId }) => postId),
      visits.map(({ reader }) => reader),
      clock.now().toISOString().slice(0, 10),
    ]
    await pool.query(remember, values).catch((error: unknown) => {
      // Keep them for the next flush.
      for (const visit of visits) keep(visit)
      throw error
    })
  }
  const tryFlush = () =>
    flush().catch((error: Error) => log.warn({ cause: error.message }, 'readers could not be counted'))
  const timer = setInterval(tryFlush, flushEveryMs)
  timer.unref()
  return {
    note(postId, person) {
      const month = clock.now().toISOString().slice(0, 7)
      const reader = createHmac('sha256', secrets.key('readers')).update(`${month} ${person}`).digest().subarray(0, 8)
      keep({ postId, reader })
    },
    flush,
    async stop() {
      clearInterval(timer)
      await tryFlush()
    },
  }
}

// A post may have been deleted meanwhile.
const remember = `
  WITH seen AS (
    INSERT INTO post_readers (post_id, reader, seen_on)
    SELECT visit.post_id, visit.reader, $3::date FROM unnest($1::uuid[], $2::bytea[]) AS visit (post_id, reader)
    JOIN posts post ON post.id = visit.post_id ORDER BY visit.post_id, visit.reader
    ON CONFLICT DO NOTHING RETURNING post_id)
  ${countReadersIn('seen')}`
