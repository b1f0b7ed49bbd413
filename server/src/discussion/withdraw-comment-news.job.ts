import { Uuid } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { withdrawCommentNews } from '../notifications/withdraw-comment-news.ts'
import { lockNews } from './candidate-store.ts'
import type { Job } from './services.ts'

const payload = z.object({ commentId: Uuid })

/** Takes the words of a deleted Comment out of everybody's feed: many rows, so not while its author waits. */
export const withdrawNews: Job<typeof payload> = {
  name: 'withdraw-comment-news',
  payload,
  attempts: 20,
  async run({ db, clock }, { commentId }) {
    await db.transaction().execute(async (tx) => {
      // A batch that is being told is told first; the next one finds that the Comment is deleted.
      await lockNews(tx, commentId)
      await withdrawCommentNews(tx, commentId, clock.now())
    })
  },
}
