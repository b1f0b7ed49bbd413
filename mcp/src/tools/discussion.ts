import { z } from 'zod'
import { Id, Notice, pageSize, RequestId } from '../fields.ts'
import { readsOwn, ToolError, tool } from '../tool.ts'
import { untrustedNotice } from '../untrusted.ts'

export const comment = tool({
  name: 'comment',
  title: 'Comment on a post',
  description:
    'Publish a comment under a post, or a reply to one. Everyone can read it, and people are notified. Pass a requestId, so that repeating a call does not comment twice.',
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  scope: 'interact',
  input: z.strictObject({
    postId: Id,
    text: z.string().min(1).max(5000),
    replyTo: Id.optional().describe('The id of a comment.'),
    requestId: RequestId,
  }),
  output: z.object({ commentId: z.string(), postId: z.string() }),
  async run({ pennypost, signal }, { postId, text, replyTo, requestId }) {
    const body = { content: text, parentCommentId: replyTo }
    const saved = await pennypost.comments.add(postId, body, { idempotencyKey: requestId, signal })
    return { data: { commentId: saved.id, postId: saved.post_id } }
  },
})

export const react = tool({
  name: 'react',
  title: 'React to a post or comment',
  description: 'Set or remove your reaction to a post or a comment. One reaction each; null removes it.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  scope: 'interact',
  input: z.strictObject({
    postId: Id.optional(),
    commentId: Id.optional(),
    reaction: z.enum(['thumbs_up', 'heart', 'fire', 'clap']).nullable(),
  }),
  output: z.object({ total: z.number(), yours: z.string().nullable() }),
  async run({ pennypost, signal }, { postId, commentId, reaction }) {
    if ((postId === undefined) === (commentId === undefined)) throw new ToolError('Pass either postId or commentId.')
    const { operations } = pennypost
    const body = { reaction }
    const reply =
      postId !== undefined
        ? await operations.reactToPost({ params: { postId }, body }, { signal })
        : await operations.reactToComment({ params: { commentId: commentId! }, body }, { signal })
    const { summary } = reply.body
    return { data: { total: summary.total, yours: summary.viewerReaction } }
  },
})

export const follow = tool({
  name: 'follow',
  title: 'Follow an author',
  description: 'Follow or unfollow an author. The id is untrusted.author.id of read_post.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  scope: 'interact',
  input: z.strictObject({ authorId: Id, following: z.boolean() }),
  output: z.object({ authorId: z.string(), following: z.boolean() }),
  async run({ pennypost, signal }, { authorId, following }) {
    const input = { params: { creatorId: authorId }, body: { following } }
    const { body } = await pennypost.operations.updateFollow(input, { signal })
    return { data: { authorId, following: body.following } }
  },
})

export const notifications = tool({
  name: 'notifications',
  title: 'Notifications',
  description:
    'What happened lately for the signed-in account: sales, tips, replies, followers, new posts. Newest first.',
  annotations: readsOwn,
  scope: 'read',
  input: z.strictObject({ limit: pageSize(40) }),
  output: z.object({
    notice: Notice,
    unread: z.number(),
    items: z.array(
      z.object({
        kind: z.string(),
        at: z.string(),
        isRead: z.boolean(),
        postId: z.string().nullable(),
        commentId: z.string().nullable(),
        untrusted: z.object({ title: z.string(), body: z.string() }),
      }),
    ),
  }),
  async run({ pennypost, signal }, { limit = 20 }) {
    const { body } = await pennypost.operations.listNotifications({ query: { limit } }, { signal })
    const items = body.notifications.slice(0, limit).map((each) => ({
      kind: each.kind,
      at: each.created_at,
      isRead: each.read_at !== null,
      postId: each.post_id,
      commentId: each.comment_id,
      untrusted: { title: each.title, body: each.body },
    }))
    return { data: { notice: untrustedNotice, unread: body.unread, items } }
  },
})
