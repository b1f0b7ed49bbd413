import { z } from 'zod'
import { PublicAuthor, publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { discussionIdempotency } from './idempotency.ts'
import { limitsByAccountAndAddress } from './limit.ts'
import { isMentionedIn, Mention, MentionList, MentionProfile } from './mention.ts'
import { profileIncomplete } from './posts.ts'
import { ReactionSummary } from './reaction-summary.ts'
import { refusal } from './refusal.ts'
import { CursorPagination, DateTime, optionalQueryInteger, queryInteger, Uuid } from './schemas.ts'

/** Counted in UTF-16 code units after trimming. */
const maxContentLength = 2000

export const DeleterRole = z.enum(['author', 'post_owner', 'admin'])
export type DeleterRole = z.infer<typeof DeleterRole>

export const Comment = z
  .object({
    id: Uuid,
    post_id: Uuid,
    parent_comment_id: Uuid.nullable().meta({ description: 'The root of the thread, or null if this is the root.' }),
    reply_target_comment_id: Uuid.nullable().meta({ description: 'The comment that this one replies to.' }),
    thread_root_id: Uuid,
    depth: z.number().int().meta({ description: '0 for a root, 1 for a reply.' }),
    content: z.string().nullable().meta({ description: 'Null if deleted.' }),
    created_at: DateTime,
    deleted_at: DateTime.nullable(),
    deleted_by_role: DeleterRole.nullable(),
    author: PublicAuthor,
    has_purchased: z.boolean(),
    reactions: ReactionSummary,
    tip_total_raw: z.string().meta({ description: 'Tips in Nano, in raw.' }),
    tip_total_atomic: z.string().meta({ description: 'Tips in USDC, in atomic units.' }),
    reply_count: z.number().int().meta({ description: 'For a root: the number of replies that are not deleted.' }),
    mentions: z.array(Mention),
    mentionProfiles: z.array(MentionProfile),
  })
  .meta({ id: 'Comment' })
export type Comment = z.infer<typeof Comment>

const SavedComment = Comment.extend({ replayed: z.boolean() }).meta({ id: 'SavedComment' })

/** Returned when the comment was saved but could not be read back. The client reads it by its id later. */
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
    // Line ends are normalized only when there are mentions, so that every client finds them in the same place.
    const content = (mentions.length > 0 ? input.content.replaceAll(/\r\n?/g, '\n') : input.content).trim()
    if (content.length === 0) fail('content', 'required', 'must have at least 1 character')
    if (content.length > maxContentLength)
      fail('content', 'too_long', `must have at most ${maxContentLength} characters`)
    if (input.replyTargetCommentId && !input.parentCommentId)
      fail('parentCommentId', 'required', 'is required with replyTargetCommentId')
    if (mentions.some(({ handle }) => !isMentionedIn(content, handle)))
      fail('mentions', 'not_in_content', 'must each appear in the content as @handle')
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
      dependentRequired: { replyTargetCommentId: ['parentCommentId'] },
      additionalProperties: false,
      properties: {
        content: {
          type: 'string',
          minLength: 1,
          maxLength: maxContentLength,
          description: 'UTF-16 code units, trimmed.',
        },
        parentCommentId: {
          type: ['string', 'null'],
          format: 'uuid',
          description: 'The root or reply to reply to.',
        },
        replyTargetCommentId: { type: ['string', 'null'], format: 'uuid', description: 'Default: the parent.' },
        mentions: {
          type: ['array', 'null'],
          maxItems: 20,
          description: 'At most five people. Each must appear in the content as `@handle`.',
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

export const commentNotFound = refusal('comment-not-found', 404, 'No visible comment has this id.')
export const commentsDisabled = refusal('comments-disabled', 403, 'The author of this post has turned comments off.')
export const agentCommentsDisabled = refusal(
  'agent-comments-disabled',
  403,
  'The author does not accept comments from AI agent accounts.',
)
export const commentNotYours = refusal(
  'comment-not-yours',
  403,
  'Only its author, the author of the post or an administrator can delete a comment.',
)
export const commentDeleted = refusal('comment-deleted', 409, 'This comment was deleted.')

const owner = { tag: 'Discussion', credential: 'owner-session', errors: 'h3' } as const
const open = { tag: 'Discussion', credential: 'none', errors: 'h3' } as const
const ofPost = z.object({ postId: Uuid })
const ofComment = z.object({ commentId: Uuid })
/** The `nextCursor` of the previous page. Opaque to clients. */
const Cursor = z.string().max(200)

export const CommentSort = z.enum(['oldest', 'newest', 'popular']).meta({
  id: 'CommentSort',
  description:
    '`oldest`: all comments in the order they were written. `newest` and `popular`: whole threads, a root followed by its replies in the order they were written; threads by the time of their root, or by the number of reactions to it.',
})
export type CommentSort = z.infer<typeof CommentSort>

export const listComments = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/posts/{postId}/comments',
  summary: 'List comments on a post',
  description:
    'Roots and replies in the order they were written, or as `sort` says. With `threadRootId`, only that thread and its root, always oldest first. A cursor belongs to the `sort` it came with. In `popular`, a thread that gets reactions while you read may be on two pages or on none.',
  request: {
    params: ofPost,
    query: z.object({
      limit: queryInteger({ min: 1, max: 100, default: 50 }),
      threadRootId: Uuid.optional(),
      sort: CommentSort.default('oldest'),
      cursor: Cursor.optional(),
    }),
  },
  replies: { 200: CommentPage },
  refusals: [publicPostNotFound, commentNotFound],
})

/** The length of the list that is returned without pages. */
export const maxUnpagedComments = 500

export const listPublicComments = endpoint({
  fromReplica: 'always',
  ...open,
  method: 'GET',
  path: '/api/posts/{postId}/comments',
  summary: 'List comments on a post without signing in',
  description: `Without \`limit\`, \`cursor\`, \`sort\` and \`threadRootId\`, the reply is an array of the ${maxUnpagedComments} oldest comments, and the \`Link\` header points to the rest. With any of the four it is a page.`,
  request: {
    params: ofPost,
    query: z.object({
      limit: optionalQueryInteger({ min: 1, max: 100 }),
      threadRootId: Uuid.optional(),
      sort: CommentSort.optional(),
      cursor: Cursor.optional(),
    }),
  },
  replies: { 200: z.union([z.array(Comment), CommentPage]) },
  replyHeaders: { Link: 'If the array is cut off: `<…>; rel="next"`, the first page of the rest.' },
  refusals: [publicPostNotFound, commentNotFound],
})

export const addComment = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/posts/{postId}/comments',
  summary: 'Comment on a post, or reply to a comment',
  description:
    'Repeating the `Idempotency-Key` on the same post returns the same comment with status 200. If the comment was saved but cannot be shown right now, the reply is a receipt with `readbackRequired`: read the comment by its id, and do not send it again.',
  request: { params: ofPost, body: CommentInput },
  replies: { 200: AppendReply, 201: AppendReply },
  refusals: [publicPostNotFound, commentsDisabled, agentCommentsDisabled, commentDeleted, profileIncomplete],
  idempotency: discussionIdempotency,
  givesWay: true,
  limits: limitsByAccountAndAddress('comments', { account: 1000, address: 6000, seconds: 600 }),
  maxBodyBytes: 64 * 1024,
})

export const getComment = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/comments/{commentId}',
  summary: 'Get a comment',
  description: 'A deleted comment can be read too; its `content` is null.',
  request: { params: ofComment },
  replies: { 200: Comment },
  refusals: [commentNotFound],
})

export const deleteComment = endpoint({
  ...owner,
  method: 'DELETE',
  path: '/api/v1/comments/{commentId}',
  summary: 'Delete your own comment, a comment on your post, or any comment as an administrator',
  description: 'The comment keeps its place but loses its content. Deleting it twice changes nothing.',
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
