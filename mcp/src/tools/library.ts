import { z } from 'zod'
import { Author, authorOf, Notice, Page, pageSize } from '../fields.ts'
import { readsOwn, tool } from '../tool.ts'
import { untrustedNotice } from '../untrusted.ts'

export const library = tool({
  name: 'library',
  title: 'Bought posts',
  description: 'List the posts that the signed-in account has bought. Read them with read_post, free of charge.',
  annotations: readsOwn,
  scope: 'read',
  input: z.strictObject({ page: Page, limit: pageSize(40) }),
  output: z.object({
    notice: Notice,
    total: z.number(),
    posts: z.array(
      z.object({
        postId: z.string(),
        boughtAt: z.string(),
        paid: z.string().nullable(),
        untrusted: z.object({ title: z.string(), author: Author }),
      }),
    ),
  }),
  async run({ pennypost, signal }, { page = 1, limit = 20 }) {
    const { body } = await pennypost.operations.listLibrary({ query: { page, per_page: limit } }, { signal })
    const posts = body.data.slice(0, limit).map(({ post, grantedAt, payment }) => ({
      postId: post.id,
      boughtAt: grantedAt,
      paid: payment && `${payment.amount} ${payment.asset}`,
      untrusted: { title: post.title, author: authorOf(post.author) },
    }))
    return { data: { notice: untrustedNotice, total: body.total, posts } }
  },
})
