import { Uuid } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { eraseCommentText } from '../notifications/erase-comment-text.ts'
import { lockProgress } from './candidate-store.ts'
import type { Job } from './services.ts'

const payload = z.object({ commentId: Uuid })

/** Removes the text of a deleted comment from all feeds. A job, because there may be too many rows for the request. */
export const eraseCommentNotifications: Job<typeof payload> = {
  name: 'erase-comment-notifications',
  payload,
  attempts: 20,
  share: 'notifications',
  async run({ db, clock }, { commentId }) {
    await db.transaction().execute(async (tx) => {
      // Waits for a batch that is being notified right now. Later batches see that the comment is deleted.
      await lockProgress(tx, commentId)
      await eraseCommentText(tx, commentId, clock.now())
    })
  },
}
