import { Uuid } from '@pennypost/contract/schemas'
import { z } from 'zod'
import { notifyCommentCandidates } from '../notifications/notify.ts'
import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { announce } from '../webhooks/announce.ts'
import {
  candidatesPerBatch,
  deleteProgress,
  findCommentEvent,
  listCandidates,
  lockProgress,
  saveProgress,
} from './candidate-store.ts'
import type { DiscussionServices, Job } from './services.ts'

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
      // With the first batch only: a webhook is called once for each comment.
      if (event && progress.notified_through === null) await announceComment(tx, services, event)
      const candidates = event
        ? await listCandidates(tx, commentId, progress.notified_through, services.config.commentWatchers)
        : []
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

type CommentDetails = NonNullable<Awaited<ReturnType<typeof findCommentEvent>>>

/** Calls the webhooks of the post's author, unless the comment is the author's own. */
async function announceComment(tx: Tx, services: DiscussionServices, event: CommentDetails): Promise<void> {
  const { commentId, postId, postTitle, postAuthorId, actorId, actorName, content } = event
  if (actorId === postAuthorId) return
  const data = { id: commentId, postId, postTitle, authorName: actorName, content }
  await announce(tx, services, {
    accountId: postAuthorId,
    type: 'comment.created',
    origin: `comment:${commentId}`,
    data,
  })
}
