import { Uuid } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { notifyCommentCandidates } from '../notifications/notify.ts'
import { enqueue } from '../platform/jobs/job.ts'
import {
  candidatesPerBatch,
  deleteProgress,
  findCommentEvent,
  listCandidates,
  lockProgress,
  saveProgress,
} from './candidate-store.ts'
import type { Job } from './services.ts'

const payload = z.object({ commentId: Uuid })

/**
 * Notifies one batch of people of a new comment and enqueues the next batch, so that other jobs can run in between.
 * Progress is stored in the same transaction, so after a crash nobody is skipped or notified twice.
 */
export const notifyOfComment: Job<typeof payload> = {
  name: 'notify-of-comment',
  payload,
  attempts: 20,
  share: 'notifications',
  async run(services, { commentId }) {
    await services.db.transaction().execute(async (tx) => {
      const progress = await lockProgress(tx, commentId)
      if (!progress) return
      const event = await findCommentEvent(tx, commentId)
      const candidates = event ? await listCandidates(tx, commentId, progress.notified_through) : []
      if (event) await notifyCommentCandidates(tx, services, event, candidates)
      if (candidates.length < candidatesPerBatch) {
        await deleteProgress(tx, commentId)
        return
      }
      await saveProgress(tx, commentId, candidates.at(-1)!.recipientId)
      // The key keeps one chain of jobs per comment, even if this batch runs twice.
      await enqueue(tx, services.clock, notifyOfComment, { commentId }, { key: `notify-of-comment:${commentId}` })
    })
  },
}
