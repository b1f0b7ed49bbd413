import { z } from 'zod'
import type { Job } from '../services.ts'
import { indexPosts, takeStalePosts, updateRankings } from './catalog-store.ts'

const payload = z.object({ accountId: z.uuid().optional() })
// Few at a time: who reacts to one of them waits for the batch.
const batch = 50

/**
 * Brings the catalog up to what changed beside it. A renamed creator, an address, a ZIP: the database promises a job for
 * that author with the change, so that nobody waits behind another's thousand Posts. Of all others, what readers did
 * above all, and of what such a job had to leave, the run that comes by itself takes care.
 */
export const indexStalePosts: Job<typeof payload> = {
  name: 'index-stale-posts',
  payload,
  attempts: 3,
  every: '20 seconds',
  async run({ db }, { accountId }) {
    for (let taken = batch; taken > 0; ) {
      taken = await db.transaction().execute(async (tx) => {
        const stale = await takeStalePosts(tx, batch, accountId)
        const idsOf = (isStandingOnly: boolean) =>
          stale.filter((post) => post.is_standing_only === isStandingOnly).map(({ post_id }) => post_id)
        const [whole, standing] = [idsOf(false), idsOf(true)]
        if (whole.length > 0) await indexPosts(tx, whole)
        if (standing.length > 0) await updateRankings(tx, standing)
        return stale.length
      })
    }
  },
}
