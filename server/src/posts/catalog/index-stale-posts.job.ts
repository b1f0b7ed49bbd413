import { z } from 'zod'
import type { Job } from '../../services.ts'
import { indexPosts, takeStalePosts } from './catalog-store.ts'

const payload = z.object({})
// Few at a time: who reacts to one of them waits for the batch.
const batch = 50

/** Brings the catalog up to what changed beside it: a renamed creator, an address, what readers did. */
export const indexStalePosts: Job<typeof payload> = {
  name: 'index-stale-posts',
  payload,
  attempts: 3,
  every: '20 seconds',
  async run({ db }) {
    for (let taken = batch; taken > 0; ) {
      taken = await db.transaction().execute(async (tx) => {
        const postIds = await takeStalePosts(tx, batch)
        if (postIds.length > 0) await indexPosts(tx, postIds)
        return postIds.length
      })
    }
  },
}
