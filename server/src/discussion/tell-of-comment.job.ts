import { Uuid } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { tellOfComment } from '../notifications/tell.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { candidatesPerBatch, findNews, forgetNews, listCandidates, lockNews, rememberTold } from './candidate-store.ts'
import type { Job } from './services.ts'

const payload = z.object({ commentId: Uuid })

/**
 * Notifies one batch of people of a new comment and enqueues the next batch, so that other jobs can run in between.
 * Progress is stored in the same transaction, so after a crash nobody is skipped or notified twice.
 */
export const tellOfNewComment: Job<typeof payload> = {
  name: 'tell-of-comment',
  payload,
  attempts: 20,
  async run(services, { commentId }) {
    await services.db.transaction().execute(async (tx) => {
      const progress = await lockNews(tx, commentId)
      if (!progress) return
      const news = await findNews(tx, commentId)
      const candidates = news ? await listCandidates(tx, commentId, progress.told_through) : []
      if (news) await tellOfComment(tx, services, news, candidates)
      if (candidates.length < candidatesPerBatch) {
        await forgetNews(tx, commentId)
        return
      }
      await rememberTold(tx, commentId, candidates.at(-1)!.recipientId)
      // The key keeps one chain of jobs per comment, even if this batch runs twice.
      await enqueue(tx, services.clock, tellOfNewComment, { commentId }, { key: `tell-of-comment:${commentId}` })
    })
  },
}
