import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { inSnapshot, type Reader } from '../platform/database/database.ts'
import { type PostStamp, readStamp } from './post-stamps.ts'

/** Finished replies about posts. Each is sent again while the stamp of its post is the same. */
export interface StampedReplies {
  /**
   * `key` names the kind of reply and whatever it depends on besides the database. `read` reads everything that the reply
   * says about the post, and `write` makes it. Returns undefined if the post is gone.
   */
  get<Data, Reply extends Sized>(
    key: string,
    post: PostStamp,
    read: (reader: Reader) => Promise<Data | undefined>,
    write: (data: Data) => Reply,
  ): Promise<Reply | undefined>
  empty(): void
}

interface Sized {
  /** How much memory it takes, about. */
  readonly bytes: number
}

interface Entry extends Sized {
  readonly stamp: string
  readonly reply: Sized
}

const maxBytes = 32 * 1024 * 1024
/** The size of an entry besides its reply. */
const entryBytes = 500

export function createStampedReplies(pool: pg.Pool): StampedReplies {
  const cache = new LRUCache<string, Entry>({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes })
  /** Replies that are being made. Requests for the same state of a post share one. */
  const running = new Map<string, Promise<Sized | undefined>>()
  return {
    async get<Data, Reply extends Sized>(
      kind: string,
      stamped: PostStamp,
      read: (reader: Reader) => Promise<Data | undefined>,
      write: (data: Data) => Reply,
    ): Promise<Reply | undefined> {
      const { postId, stamp } = stamped
      const key = `${postId} ${kind}`
      const known = cache.get(key)
      if (known?.stamp === stamp) return known.reply as Reply
      const id = `${key} ${stamp}`
      const made = running.get(id) ?? make().finally(() => running.delete(id))
      running.set(id, made)
      return made as Promise<Reply | undefined>

      async function make(): Promise<Reply | undefined> {
        // The stamp is read again together with the rows: something may have changed meanwhile, and even back again.
        const found = await inSnapshot(pool, async (reader) => {
          const current = await readStamp(reader, stamped)
          const data = current === undefined ? undefined : await read(reader)
          return data === undefined ? undefined : { current: current!, data }
        })
        if (!found) return undefined
        const reply = write(found.data)
        cache.set(key, { stamp: found.current, reply, bytes: reply.bytes + entryBytes })
        return reply
      }
    },
    empty: () => cache.clear(),
  }
}
