import { Uuid } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { withdrawCommentNews } from '../notifications/withdraw-comment-news.ts'
import { lockNews } from './candidate-store.ts'
import type { Job } from './services.ts'

const payload = z.object({ commentId: Uuid })

/** Removes the text of a deleted comment from all feeds. A job, because there may be too many rows for the request. */
export const withdrawNews: Job<typeof payload> = {
  name: 'withdraw-comment-news',
  payload,
  attempts: 20,
  async run({ db, clock }, { commentId }) {
    await db.transaction().execute(async (tx) => {
      // Waits for a batch that is being notified right now. Later batches see that the comment is deleted.
      await lockNews(tx, commentId)
      await withdrawCommentNews(tx, commentId, clock.now())
    })
  },
}
