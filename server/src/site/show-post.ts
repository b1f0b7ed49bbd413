import type { Call } from '@pennypost/contract/endpoint'
import {
  type showPost as declared,
  type showPostBySlug as declaredBySlug,
  type getPostMarkdown as declaredMarkdown,
  postPageNotFound,
} from '@pennypost/contract/public-pages'
import { canonicalPostPath } from '@pennypost/site/paths'
import { openGift } from '../access/open-gift.ts'
import { disclosureHeader } from '../discovery/ai-disclosure.ts'
import { findPostBySlug, findPublicPost, type PublicPostDetail } from '../discovery/public-post-store.ts'
import { etagOf } from '../platform/http/conditional-request.ts'
import { prefersMediaType } from '../platform/http/content-negotiation.ts'
import { refuse } from '../platform/http/refuse.ts'
import { listPageComments } from './page-comment-store.ts'
import { postMarkdown } from './post-markdown.ts'
import { postPage } from './post-page.ts'
import type { Handler, SiteServices } from './services.ts'

export const showPost: Handler<typeof declared> = (services, call) => showPage(services, call.params.postId, call)

type PageRequest = Pick<Call<typeof declared>, 'query' | 'headers' | 'origin' | 'ip'>

/** The page of a post, whichever URL was used for it. */
async function showPage(services: SiteServices, postId: string, { query, headers, origin, ip }: PageRequest) {
  if (query.gift !== undefined) {
    const post = await openPost(services, postId, ip)
    if (post.has_paywall) return giftPage(services, post, query.gift, origin)
  }
  const isMarkdown = prefersMarkdown(headers.accept)
  const { pageFlights: pages, readers } = services.discovery
  // Concurrent requests for the same page share one rendering.
  const page = pages.run(`post ${isMarkdown} ${origin} ${postId}`, () =>
    publicPage(services, postId, origin, isMarkdown),
  )
  const reply = (await page) ?? refuse(postPageNotFound)
  readers.note(postId, ip)
  return reply
}

/** The same page at its canonical URL. Every other spelling of it redirects. */
export const showPostBySlug: Handler<typeof declaredBySlug> = async (services, call) => {
  const { params, query } = call
  const post = (await findPostBySlug(services.pool, params.handle, params.slug)) ?? refuse(postPageNotFound)
  if (params.handle === post.handle && params.slug === post.slug) return showPage(services, post.id, call)
  const location = canonicalPostPath(post)
  if (query.gift === undefined) return { status: 301, headers: { location } }
  const gift = encodeURIComponent(query.gift)
  return { status: 301, headers: { ...giftHeaders, location: `${location}?gift=${gift}` } }
}

async function publicPage(services: SiteServices, postId: string, origin: string, isMarkdown: boolean) {
  const post = await findPublicPost(services.pool, postId)
  if (!post) return undefined
  const reply = isMarkdown
    ? markdownReply(post, origin)
    : postPage(services, post, await firstCommentsOf(services, post), origin)
  return { ...reply, headers: { ...reply.headers, ...disclosureHeader(post.creation_method), vary: 'Accept' } }
}

async function giftPage(services: SiteServices, post: PublicPostDetail, token: string, origin: string) {
  const opened = await openGift(services, post.id, token)
  const gift = { token, paidHtml: opened?.paid_html }
  const page = postPage(services, post, { ...(await firstCommentsOf(services, post)), gift }, origin)
  return { ...page, headers: { ...page.headers, ...giftHeaders } }
}

export const getPostMarkdown: Handler<typeof declaredMarkdown> = async (services, { params, origin, ip }) => {
  const post = await openPost(services, params.postId, ip)
  const reply = markdownReply(post, origin)
  return { ...reply, headers: { ...reply.headers, ...disclosureHeader(post.creation_method) } }
}

// A gift is for one reader: caches must not store it, and search engines must not list it.
const giftHeaders = {
  'cache-control': 'private, no-store',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
}

/** Finds the post and counts the reader, as the API does. */
async function openPost({ pool, discovery }: SiteServices, postId: string, ip: string): Promise<PublicPostDetail> {
  const post = (await findPublicPost(pool, postId)) ?? refuse(postPageNotFound)
  discovery.readers.note(post.id, ip)
  return post
}

const firstComments = 20

/** The first comments, and whether there are more. */
async function firstCommentsOf({ pool }: SiteServices, { id, comment_count }: PublicPostDetail) {
  const found = comment_count === 0 ? [] : await listPageComments(pool, id, firstComments + 1)
  return { comments: found.slice(0, firstComments), hasMore: found.length > firstComments }
}

function markdownReply(post: PublicPostDetail, origin: string) {
  const body = postMarkdown(post, origin)
  const canonical = `<${origin}${canonicalPostPath(post)}>; rel="canonical"`
  return {
    status: 200,
    headers: { 'content-type': 'text/markdown; charset=utf-8', link: canonical, etag: etagOf(body) },
    body,
  } as const
}

/** Browsers never name Markdown. Programs that name both, with the same weight, get the plainer one. */
export const prefersMarkdown = (accept: string | undefined): boolean =>
  prefersMediaType(accept, 'text/markdown', 'text/html')
