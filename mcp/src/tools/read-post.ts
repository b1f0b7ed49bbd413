import type { CommentPage, PostAccess } from '@pennypost/sdk'
import { z } from 'zod'
import { Id } from '../fields.ts'
import { isPaymentRequired } from '../payments.ts'
import { From, findPost, PostText, postText } from '../post-text.ts'
import { reads, type ToolCall, tool } from '../tool.ts'

export const readPost = tool({
  name: 'read_post',
  title: 'Read a post',
  description:
    'Read a published post as Markdown: all of it if it is free, yours or bought, else the free part and the price. Never costs anything. Cite it with "citation".',
  annotations: reads,
  input: z.strictObject({
    postId: Id,
    from: From,
    comments: z.number().int().min(0).max(20).optional().describe('How many comments to include.'),
  }),
  output: PostText,
  async run(call, { postId, from, comments = 0 }) {
    const post = await findPost(call, postId)
    // Also of a free post: a reader who bought it before it was free may read more.
    const access = await accessOf(call, postId)
    const discussion = comments > 0 && post ? await commentsOf(call, postId, comments) : undefined
    return postText(postId, { post, access, from, comments: discussion })
  },
})

/** What the caller may read of a paid post. Undefined: the free part. */
async function accessOf({ pennypost, signal }: ToolCall, postId: string): Promise<PostAccess | undefined> {
  try {
    return await pennypost.posts.read(postId, { signal })
  } catch (error) {
    if (isPaymentRequired(error)) return undefined
    throw error
  }
}

async function commentsOf({ pennypost, signal }: ToolCall, postId: string, limit: number) {
  const { body } = await pennypost.operations.listPublicComments({ params: { postId }, query: { limit } }, { signal })
  return (body as CommentPage).comments.slice(0, limit).map(({ id, author, content }) => ({
    id,
    author: author.handle,
    text: content ?? '(deleted)',
  }))
}
