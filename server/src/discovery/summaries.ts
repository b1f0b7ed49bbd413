import { PostSummary } from '@pennypost/contract/discovery'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { jsonWriter } from '../platform/http/reply-writer.ts'
import type { PricingParts } from '../posts/post-view.ts'
import { areFresh, type Rates } from '../rails/rates.ts'
import { type Listed, readCards } from './card-store.ts'
import { postSummary } from './post-summary.ts'

/** Summaries of posts as JSON. Each is cached until its card or the exchange rates change. */
export interface Summaries {
  write(listed: readonly Listed[], origin: string): Promise<string[]>
  empty(): void
}

interface WrittenSummary {
  readonly stamp: string
  readonly rates: Rates | undefined
  readonly isFresh: boolean
  readonly text: string
}

const maxCached = 10_000
const toJson = jsonWriter(PostSummary)

/** Entries are never invalidated: a stamp identifies one state of a card, and a pair of rates one price. */
export function createSummaries(parts: PricingParts & { readonly pool: pg.Pool }): Summaries {
  const cache = new LRUCache<string, WrittenSummary>({ max: maxCached })
  return {
    async write(listed, origin) {
      const rates = parts.rates.current()
      const isFresh = areFresh(rates, parts.clock.now())
      const find = ({ post_id, stamp }: Listed): string | undefined => {
        const known = cache.get(post_id + origin)
        const isGood = known?.stamp === stamp && known.rates === rates && known.isFresh === isFresh
        return isGood ? known.text : undefined
      }
      const texts = new Map(listed.map((entry) => [entry.post_id, find(entry)]))
      const missing = listed.filter(({ post_id }) => texts.get(post_id) === undefined)
      for (const { post_id, stamp, post } of await readCards(
        parts.pool,
        missing.map((entry) => entry.post_id),
      )) {
        // Copied, because a concatenated string is a tree of pieces that takes five times the memory.
        const text = Buffer.from(toJson(postSummary(parts, post, origin))).toString()
        texts.set(post_id, text)
        cache.set(post_id + origin, { stamp, rates, isFresh, text })
      }
      // A post that was withdrawn meanwhile has no text.
      return [...texts.values()].filter((text) => text !== undefined)
    },
    empty: () => cache.clear(),
  }
}
