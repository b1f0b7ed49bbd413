import { randomUUID } from 'node:crypto'
import {
  agentCommentsDisabled,
  type CommentInput,
  commentsDisabled,
  type addComment as declared,
} from '@pennypost/contract/comments'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import { validation } from '@pennypost/contract/errors'
import { discussionIdempotency } from '@pennypost/contract/idempotency'
import { profileIncomplete } from '@pennypost/contract/posts'
import type { OwnerAccount } from '../accounts/caller-account.ts'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { withIdempotencyKey } from '../platform/idempotency.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { countComment } from '../posts/post-figures.ts'
import { profileBlockers } from '../profiles/profile-rules.ts'
import { areMentionsCurrent, insertComment, listThreadComments } from './append-store.ts'
import { findSavedComment } from './comment-store.ts'
import { commentViews } from './comment-view.ts'
import { type DiscussedPost, findDiscussedPostInTx, lockDiscussedPostShared } from './discussed-post-store.ts'
import { notifyOfComment } from './notify-of-comment.job.ts'
import { placeReply } from './place-reply.ts'
import type { DiscussionServices, Handler } from './services.ts'

export const addComment: Handler<typeof declared> = async (
  services,
  { caller, params, body, idempotencyKey, origin },
) => {
  const { postId } = params
  const request = {
    flavour: discussionIdempotency,
    scope: `addComment ${caller.accountId} ${postId}`,
    key: idempotencyKey,
    intent: body,
    now: services.clock.now(),
  }
  const saved = await withIdempotencyKey(services.db, request, async (tx) => {
    const id = await append(tx, services, { postId, author: caller.account, input: body })
    return { status: 201, body: { id } }
  })
  const status = saved.replayed ? 200 : 201
  const comment = await readBack(services, caller.accountId, saved.body.id, origin)
  if (comment) return { status, body: { ...comment, replayed: saved.replayed } }
  return {
    status,
    body: {
      id: saved.body.id,
      post_id: postId,
      replayed: saved.replayed,
      mentions: [],
      mentionProfiles: [],
      readbackRequired: true,
    },
  }
}

interface Append {
  readonly postId: string
  readonly author: Pick<OwnerAccount, 'id' | 'author_kind' | 'name' | 'handle' | 'email'>
  readonly input: CommentInput
}

async function append(tx: Tx, { clock }: DiscussionServices, { postId, author, input }: Append): Promise<string> {
  const { content, parentCommentId, replyTargetCommentId, mentions } = input
  requireCommentsAllowed(await findDiscussedPostInTx(tx, postId), author)
  requireProfile(author)
  if (!(await areMentionsCurrent(tx, mentions))) {
    // Does not say which mention is outdated: that would reveal who changed their handle.
    refuse(validation, {
      errors: [{ field: 'mentions', code: 'stale', message: 'contain an outdated handle: look it up again' }],
    })
  }
  const at = await countComment(tx, postId, clock.now())
  requireCommentsAllowed(await lockDiscussedPostShared(tx, postId), author)
  const id = randomUUID()
  const named = [parentCommentId, replyTargetCommentId].filter((given) => given !== null)
  const place = parentCommentId
    ? placeReply({ parentCommentId, replyTargetCommentId }, await listThreadComments(tx, postId, named))
    : { threadRootId: id, replyTargetId: null }
  await insertComment(tx, { id, postId, authorId: author.id, ...place, content, mentions, at })
  await enqueue(tx, clock, notifyOfComment, { commentId: id })
  return id
}

function requireCommentsAllowed(post: DiscussedPost | undefined, author: Append['author']): void {
  const { comments_enabled, agent_comments_enabled } = post ?? refuse(publicPostNotFound)
  if (!comments_enabled) refuse(commentsDisabled)
  if (author.author_kind === 'agent' && !agent_comments_enabled) refuse(agentCommentsDisabled)
}

/**
 * Accounts that began with an email address need a name that readers can tell apart. Wallets and guests may comment under
 * their generated handle: they chose to be pseudonymous, and a guest cannot choose a handle.
 */
function requireProfile(author: Append['author']): void {
  const errors = author.email === null ? [] : profileBlockers(author)
  if (errors.length > 0) refuse(profileIncomplete, { errors })
}

/**
 * Reads a saved comment for the response. Returns undefined if that fails: the comment is saved, so the request must
 * not fail.
 */
async function readBack(services: DiscussionServices, viewer: string, id: string, origin: string) {
  try {
    const row = await findSavedComment(services.pool, viewer, id)
    return row && (await commentViews(services, [row], origin))[0]
  } catch (error) {
    services.log.error({ cause: error instanceof Error ? error.message : error }, 'a saved comment could not be read')
    return undefined
  }
}
