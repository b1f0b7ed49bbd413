import { Uuid } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { tellOfComment } from '../notifications/tell.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { candidatesPerBatch, findNews, forgetNews, listCandidates, lockNews, rememberTold } from './candidate-store.ts'
import type { Job } from './services.ts'

const payload = z.object({ commentId: Uuid })

/**
 * Tells one batch of those whom a new Comment concerns, and promises the next with it, so that other jobs come between.
 * How far it got is written down in the same transaction: whatever is killed, nobody is left out or told twice.
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
      // One chain for each Comment, also when this batch runs a second time.
      await enqueue(tx, services.clock, tellOfNewComment, { commentId }, { key: `tell-of-comment:${commentId}` })
    })
  },
}
