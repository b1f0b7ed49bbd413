import { PostSummary } from '@pennypost/contract/discovery'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { entriesAtMost } from '../platform/entries-at-most.ts'
import { jsonWriter } from '../platform/http/reply-writer.ts'
import type { PricingParts } from '../posts/post-view.ts'
import { type Listed, readCards } from './card-store.ts'
import { postSummary } from './post-summary.ts'
import { pricingState } from './pricing-state.ts'

/** Summaries of posts as JSON. Each is cached until its card changes, or what prices depend on. */
export interface Summaries {
  write(listed: readonly Listed[], origin: string): Promise<string[]>
  empty(): void
}

interface WrittenSummary {
  readonly stamp: string
  readonly pricing: string
  readonly text: string
}

const maxCached = 10_000
const toJson = jsonWriter(PostSummary)

/** Entries are never invalidated: a stamp identifies one state of a card. */
export function createSummaries(parts: PricingParts & { readonly pool: pg.Pool }): Summaries {
  const cache = new LRUCache<string, WrittenSummary>(entriesAtMost(maxCached))
  return {
    async write(listed, origin) {
      const pricing = pricingState(parts)
      const find = ({ post_id, stamp }: Listed): string | undefined => {
        const known = cache.get(post_id + origin)
        return known?.stamp === stamp && known.pricing === pricing ? known.text : undefined
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
        cache.set(post_id + origin, { stamp, pricing, text })
      }
      // A post that was withdrawn meanwhile has no text.
      return [...texts.values()].filter((text) => text !== undefined)
    },
    empty: () => cache.clear(),
  }
}
