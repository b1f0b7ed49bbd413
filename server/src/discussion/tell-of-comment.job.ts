import { Uuid } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { tellOfComment } from '../notifications/tell.ts'
import type { Job, Services } from '../services.ts'
import { candidatesPerBatch, findNews, forgetNews, listCandidates, lockNews, rememberTold } from './candidate-store.ts'

const payload = z.object({ commentId: Uuid })

/**
 * Tells those whom a new Comment concerns. How far it got is written down with every batch it told, in one transaction:
 * a run that was killed is continued by the next, and nobody is told twice.
 */
export const tellOfNewComment: Job<typeof payload> = {
  name: 'tell-of-comment',
  payload,
  attempts: 20,
  async run(services, { commentId }) {
    while (await tellBatch(services, commentId)) {}
  },
}

/** Whether there may be more to tell. */
const tellBatch = (services: Services, commentId: string): Promise<boolean> =>
  services.db.transaction().execute(async (tx) => {
    const progress = await lockNews(tx, commentId)
    if (!progress) return false
    const news = await findNews(tx, commentId)
    const candidates = news ? await listCandidates(tx, commentId, progress.told_through) : []
    if (news) await tellOfComment(tx, services, news, candidates)
    if (candidates.length < candidatesPerBatch) {
      await forgetNews(tx, commentId)
      return false
    }
    await rememberTold(tx, commentId, candidates.at(-1)!.recipientId)
    return true
  })
