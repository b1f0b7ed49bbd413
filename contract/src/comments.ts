import { z } from 'zod'
import { PublicAuthor, publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { discussionIdempotency } from './idempotency.ts'
import { isMentionedIn, Mention, MentionList, MentionProfile } from './mention.ts'
import { ReactionSummary } from './reaction-summary.ts'
import { refusal } from './refusal.ts'
import { CursorPagination, DateTime, optionalQueryInteger, queryInteger, Uuid } from './schemas.ts'

/** §8: UTF-16 code units, after trimming. */
const mostContent = 2000

export const DeleterRole = z.enum(['author', 'post_owner', 'admin'])
export type DeleterRole = z.infer<typeof DeleterRole>

export const Comment = z
  .object({
    id: Uuid,
    post_id: Uuid,
    parent_comment_id: Uuid.nullable().meta({ description: "The thread's root; null for a root." }),
    reply_target_comment_id: Uuid.nullable().meta({ description: 'The Comment that this one answers.' }),
    thread_root_id: Uuid,
    depth: z.number().int().meta({ description: '0 for a root, 1 for a reply.' }),
    content: z.string().nullable().meta({ description: 'Null once deleted.' }),
    created_at: DateTime,
    deleted_at: DateTime.nullable(),
    deleted_by_role: DeleterRole.nullable(),
    author: PublicAuthor,
    has_purchased: z.boolean(),
    reactions: ReactionSummary,
    tip_total_raw: z.string(),
    reply_count: z.number().int().meta({ description: 'Replies in the thread that are not deleted; of a root only.' }),
    mentions: z.array(Mention),
    mentionProfiles: z.array(MentionProfile),
  })
  .meta({ id: 'Comment' })
export type Comment = z.infer<typeof Comment>

const SavedComment = Comment.extend({ replayed: z.boolean() }).meta({ id: 'SavedComment' })

/** §2: the Comment is saved, and could not be shown: read it by its id. */
const CommentReceipt = z
  .object({
    id: Uuid,
    post_id: Uuid,
    replayed: z.boolean(),
    mentions: z.array(Mention).max(0),
    mentionProfiles: z.array(MentionProfile).max(0),
    readbackRequired: z.literal(true),
  })
  .meta({ id: 'CommentReceipt' })

const AppendReply = z.union([SavedComment, CommentReceipt])

const CommentInput = z
  .strictObject({
    content: z.string(),
    parentCommentId: Uuid.nullish(),
    replyTargetCommentId: Uuid.nullish(),
    mentions: MentionList.nullish(),
  })
  .transform((input, context) => {
    const mentions = input.mentions ?? []
    const fail = (field: string, code: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], params: { code }, message })
    // §4: only bindings make line ends one kind, so that they mean the same place in every client.
    const content = (mentions.length > 0 ? input.content.replaceAll(/\r\n?/g, '\n') : input.content).trim()
    if (content.length === 0) fail('content', 'required', 'must have at least 1 character')
    if (content.length > mostContent) fail('content', 'too_long', `must have at most ${mostContent} characters`)
    if (input.replyTargetCommentId && !input.parentCommentId)
      fail('parentCommentId', 'required', 'is required with replyTargetCommentId')
    if (mentions.some(({ handle }) => !isMentionedIn(content, handle)))
      fail('mentions', 'not_in_content', 'must each stand in the content as @handle')
    return {
      content,
      parentCommentId: input.parentCommentId ?? null,
      replyTargetCommentId: input.replyTargetCommentId ?? null,
      mentions,
    }
  })
  .meta({
    openapi: {
      type: 'object',
      required: ['content'],
      additionalProperties: false,
      properties: {
        content: { type: 'string', minLength: 1, maxLength: mostContent, description: 'UTF-16 code units, trimmed.' },
        parentCommentId: {
          type: ['string', 'null'],
          format: 'uuid',
          description: 'The thread, or the reply, to answer.',
        },
        replyTargetCommentId: { type: ['string', 'null'], format: 'uuid', description: 'Left out: the parent.' },
        mentions: {
          type: ['array', 'null'],
          maxItems: 20,
          description: 'At most five people, each of whom stands in the content as `@handle`.',
          items: {
            type: 'object',
            required: ['profileId', 'handle'],
            additionalProperties: false,
            properties: { profileId: { type: 'string', format: 'uuid' }, handle: { type: 'string' } },
          },
        },
      },
    },
  })
export type CommentInput = z.output<typeof CommentInput>

export const CommentPolicy = z.object({ commentsEnabled: z.boolean(), agentCommentsEnabled: z.boolean() })

const CommentPage = z
  .object({
    comments: z.array(Comment),
    commentPolicy: CommentPolicy,
    pagination: CursorPagination,
  })
  .meta({ id: 'CommentPage' })

export const commentNotFound = refusal('comment-not-found', 404, 'No visible Comment has this id.')
export const commentsDisabled = refusal('comments-disabled', 403, 'The author of this Post has switched comments off.')
export const agentCommentsDisabled = refusal(
  'agent-comments-disabled',
  403,
  'The author does not accept comments from AI agent accounts.',
)
export const commentNotYours = refusal(
  'comment-not-yours',
  403,
  'Only its author, the author of the Post or an administrator may delete a Comment.',
)
export const commentDeleted = refusal('comment-deleted', 409, 'This Comment was deleted.')

const owner = { tag: 'Discussion', credential: 'owner-session', errors: 'h3' } as const
const open = { tag: 'Discussion', credential: 'none', errors: 'h3' } as const
const ofPost = z.object({ postId: Uuid })
const ofComment = z.object({ commentId: Uuid })
/** Opaque: what a page said comes next. */
const Cursor = z.string().max(200)

export const listComments = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/posts/{postId}/comments',
  summary: 'Comments on a Post, the oldest first',
  description: 'Roots and replies in the order they were written; with `threadRootId` one thread, its root included.',
  request: {
    params: ofPost,
    query: z.object({
      limit: queryInteger({ min: 1, max: 100, default: 50 }),
      threadRootId: Uuid.optional(),
      cursor: Cursor.optional(),
    }),
  },
  replies: { 200: CommentPage },
  refusals: [publicPostNotFound, commentNotFound],
})

/** How many Comments the form without pages holds. */
export const mostUnpagedComments = 500

export const listPublicComments = endpoint({
  ...open,
  method: 'GET',
  path: '/api/posts/{postId}/comments',
  summary: 'Comments on a Post, the oldest first, for anybody',
  description: `Without \`limit\`, \`cursor\` and \`threadRootId\` the answer is an array of the first ${mostUnpagedComments} Comments; where there are more, the \`Link\` header leads to them. With any of the three it is a page.`,
  request: {
    params: ofPost,
    query: z.object({
      limit: optionalQueryInteger({ min: 1, max: 100 }),
      threadRootId: Uuid.optional(),
      cursor: Cursor.optional(),
    }),
  },
  replies: { 200: z.union([z.array(Comment), CommentPage]) },
  replyHeaders: { Link: 'Where the array was cut: `<…>; rel="next"`, a page of the rest.' },
  refusals: [publicPostNotFound, commentNotFound],
})

export const addComment = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/posts/{postId}/comments',
  summary: 'Comment on a Post, or answer a Comment',
  description:
    'The same `Idempotency-Key` on the same Post gives the same Comment again, with 200. Where it was saved and cannot be shown at the moment, the answer is a receipt with `readbackRequired`: read the Comment by its id, do not send it again.',
  request: { params: ofPost, body: CommentInput },
  replies: { 200: AppendReply, 201: AppendReply },
  refusals: [publicPostNotFound, commentsDisabled, agentCommentsDisabled, commentDeleted],
  idempotency: discussionIdempotency,
})

export const getComment = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/comments/{commentId}',
  summary: 'One Comment',
  request: { params: ofComment },
  replies: { 200: Comment },
  refusals: [commentNotFound],
})

export const deleteComment = endpoint({
  ...owner,
  method: 'DELETE',
  path: '/api/v1/comments/{commentId}',
  summary: 'Delete a Comment of yours, under your Post, or as an administrator',
  description: 'It stays in its place without its content. Deleting twice is the same as once.',
  request: { params: ofComment },
  replies: {
    200: z.object({
      success: z.literal(true),
      id: Uuid,
      post_id: Uuid,
      deleted_at: DateTime,
      deleted_by_role: DeleterRole,
    }),
  },
  refusals: [commentNotFound, commentNotYours],
})
