import { z } from 'zod'
import type { Job } from '../services.ts'
import {
  indexPosts,
  markOutdatedPosts,
  newestMark,
  sortPendingTerms,
  takeMovedPosts,
  takeStalePosts,
  updateFigures,
} from './catalog-store.ts'

const payload = z.object({ accountId: z.uuid().optional() })
// Small, because an author who saves one of these posts waits for the whole batch.
const batch = 50
/** Posts that only moved take less than a millisecond each. Many together, because each batch may empty the cache of lists. */
const movedBatch = 500

/**
 * Brings the catalog up to date with changes made outside of it. When an author's name, address or ZIP changes, a
 * database trigger enqueues a job for this author, so that nobody waits behind another author's thousand posts. The
 * scheduled run covers the rest: mostly what readers did, and what those jobs had to skip.
 */
export const indexStalePosts: Job<typeof payload> = {
  name: 'index-stale-posts',
  payload,
  attempts: 3,
  every: '20 seconds',
  async run({ db }, { accountId }) {
    if (accountId === undefined) {
      await sortPendingTerms(db)
      await markOutdatedPosts(db)
    }
    // What is marked from now on waits for the next run. Otherwise a post that people comment on all the time would be brought up
    // to date all the time, and this would never end.
    const upTo = await newestMark(db)
    for (let taken = accountId === undefined ? movedBatch : 0; taken > 0; ) {
      taken = await db.transaction().execute(async (tx) => {
        const moved = await takeMovedPosts(tx, { most: movedBatch, upTo })
        if (moved.length > 0) await updateFigures(tx, moved)
        return moved.length
      })
    }
    for (let taken = batch; taken > 0; ) {
      taken = await db.transaction().execute(async (tx) => {
        const stale = await takeStalePosts(tx, { most: batch, upTo, accountId })
        const whole = stale.filter((post) => !post.is_standing_only).map(({ post_id }) => post_id)
        const figuresOnly = stale.filter((post) => post.is_standing_only).map(({ post_id }) => post_id)
        if (whole.length > 0) await indexPosts(tx, whole)
        if (figuresOnly.length > 0) await updateFigures(tx, figuresOnly)
        return stale.length
      })
    }
  },
}
