import { PennypostError, type PostAccess, type PostDetail } from '@pennypost/sdk'
import { z } from 'zod'
import { Author, authorOf, Notice, Prices, pricesOf } from './fields.ts'
import type { ToolCall } from './tool.ts'
import { untrustedNotice } from './untrusted.ts'

// What an agent gets of a post: facts, and a piece of its text.

/** Longer texts come in pieces: an agent's context is small, and so is what one reply may cost us. */
export const pieceCharacters = 40_000

export const From = z.number().int().min(0).max(1_000_000).optional().describe('Continue a long text here (nextFrom).')

export const PostText = z.object({
  notice: Notice,
  postId: z.string(),
  url: z.string().nullable(),
  access: z.string().describe('"preview": only the free part; buy_post gives the rest.'),
  prices: Prices,
  publishedAt: z.string().nullable(),
  nextFrom: z.number().nullable().describe('Where the text goes on, if it does.'),
  zipFiles: z.array(z.object({ id: z.string(), sizeBytes: z.number(), downloadUrl: z.string() })),
  untrusted: z.object({
    title: z.string(),
    author: Author.nullable(),
    citation: z.string(),
    markdown: z.string(),
    comments: z.array(z.object({ id: z.string(), author: z.string(), text: z.string() })).optional(),
  }),
})

type Comment = { readonly id: string; readonly author: string; readonly text: string }
type Access = Pick<PostAccess, 'access' | 'postId' | 'contentMarkdown' | 'paidContentMarkdown' | 'attachments'>

/** A price that is not known is null. */
export const isFree = ({ effectivePrice }: PostDetail): boolean => effectivePrice.raw === '0'

/** A published post. Undefined if it is not published: buyers and its author may still read it. */
export async function findPost({ pennypost, signal }: ToolCall, postId: string): Promise<PostDetail | undefined> {
  try {
    return await pennypost.posts.get(postId, { signal })
  } catch (error) {
    if (error instanceof PennypostError && error.status === 404) return undefined
    throw error
  }
}

interface PostParts {
  readonly post: PostDetail | undefined
  /** Undefined if the caller may read the free part only. */
  readonly access: Access | undefined
  readonly from?: number | undefined
  readonly comments?: readonly Comment[] | undefined
}

export function postText(postId: string, { post, access, from = 0, comments }: PostParts) {
  const prices = post ? pricesOf(post.paymentOffers) : []
  const kind = access?.access ?? (post && isFree(post) ? 'free' : 'preview')
  const whole = access
    ? [access.contentMarkdown, access.paidContentMarkdown ?? ''].filter((part) => part !== '').join('\n\n')
    : (post?.freeContentMarkdown ?? '')
  const markdown = pieceOf(whole, from)
  const nextFrom = from + markdown.length < whole.length ? from + markdown.length : null
  const title = post?.title ?? '(not published any longer)'
  const files = access?.attachments ?? post?.attachments ?? []
  const data = {
    notice: untrustedNotice,
    postId,
    // The other URL has the title in it, and this is not among the words of the author.
    url: post?.contentUrl ?? null,
    access: kind,
    prices,
    publishedAt: post?.publishedAt ?? null,
    nextFrom,
    zipFiles: files.map(({ id, sizeBytes, downloadUrl }) => ({ id, sizeBytes, downloadUrl })),
    untrusted: {
      title,
      author: post ? authorOf(post.author) : null,
      citation: post ? citationOf(post) : '',
      markdown,
      ...(comments && { comments: [...comments] }),
    },
  }
  return { data, text: factsOf(data), untrustedText: wordsOf(data.untrusted) }
}

const citationOf = ({ author, title, publishedAt, pageUrl }: PostDetail): string =>
  `${author.name} (@${author.handle}): "${title}", ${publishedAt.slice(0, 10)}, ${pageUrl}`

function factsOf({ postId, url, access, prices, nextFrom }: z.input<typeof PostText>): string {
  const price = prices.map(({ amount, asset }) => `${amount} ${asset}`).join(' or ')
  return [
    `postId: ${postId}`,
    ...(url === null ? [] : [`url: ${url}`]),
    access === 'preview' ? 'access: preview (the free part only; buy_post gives the rest)' : `access: ${access}`,
    ...(price === '' ? [] : [`price: ${price}`]),
    ...(nextFrom === null ? [] : [`The text goes on: call again with from=${nextFrom}.`]),
  ].join('\n')
}

function wordsOf({ title, citation, markdown, comments = [] }: z.input<typeof PostText>['untrusted']): string {
  const said = comments.map(({ id, author, text }) => `[comment ${id} by @${author}] ${text}`)
  return [`# ${title}`, citation, '', markdown, ...(said.length > 0 ? ['', 'Comments:', ...said] : [])].join('\n')
}

/** A piece that does not end in the middle of a character. */
function pieceOf(text: string, from: number): string {
  const piece = text.slice(from, from + pieceCharacters)
  return /[\uD800-\uDBFF]$/.test(piece) && from + piece.length < text.length ? piece.slice(0, -1) : piece
}
