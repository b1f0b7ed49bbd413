import { createHmac } from 'node:crypto'
import type { AccessServices } from '../access/services.ts'

/** Counts distinct people who open Posts. */
export interface Readers {
  /** Noted in memory: reading waits for nobody. */
  note(postId: string, person: string): void
  /** Stores what was noted. */
  flush(): Promise<void>
  stop(): Promise<void>
}

const flushEveryMs = 10_000
/** Beyond this, visits until the next flush are not counted. */
const mostNoted = 20_000

/** A person is an address, hashed with a key of the month: nobody can be followed from it. */
export function countReaders({
  pool,
  clock,
  log,
  secrets,
}: Pick<AccessServices, 'pool' | 'clock' | 'log' | 'secrets'>): Readers {
  const noted = new Map<string, { postId: string; reader: Buffer }>()
  const keep = (visit: { postId: string; reader: Buffer }) => {
    if (noted.size < mostNoted) noted.set(`${visit.postId} ${visit.reader.toString('base64')}`, visit)
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
      // Noted again, for the next time.
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

// In the order of ids, like everybody who touches figures of several Posts. A Post may be gone by now.
const remember = `
  WITH seen AS (
    INSERT INTO post_readers (post_id, reader, seen_on)
    SELECT visit.post_id, visit.reader, $3::date FROM unnest($1::uuid[], $2::bytea[]) AS visit (post_id, reader)
    JOIN posts post ON post.id = visit.post_id ORDER BY visit.post_id, visit.reader
    ON CONFLICT DO NOTHING RETURNING post_id)
  INSERT INTO post_figures AS figures (post_id, reader_count)
  SELECT post_id, count(*) FROM seen GROUP BY post_id ORDER BY post_id
  ON CONFLICT (post_id) DO UPDATE SET reader_count = figures.reader_count + excluded.reader_count`
