import type { Call, Visit } from '@pennypost/contract/endpoint'
import {
  type showPost as declared,
  type showPostBySlug as declaredBySlug,
  type getPostMarkdown as declaredMarkdown,
  postPageNotFound,
} from '@pennypost/contract/public-pages'
import { canonicalPostPath } from '@pennypost/site/paths'
import { openGift } from '../access/open-gift.ts'
import { readSessionCookie } from '../accounts/session-cookie.ts'
import { disclosureHeader } from '../discovery/ai-disclosure.ts'
import { type PostStamp, pageCommentsRead } from '../discovery/post-stamps.ts'
import { pricingState } from '../discovery/pricing-state.ts'
import { findPublicPost, findPublicPostBySlug, type PublicPostDetail } from '../discovery/public-post-store.ts'
import { findOldPathOfAuthor } from '../imports/old-path-store.ts'
import type { Reader } from '../platform/database/database.ts'
import { etagOf } from '../platform/http/conditional-request.ts'
import { prefersMediaType } from '../platform/http/content-negotiation.ts'
import { refuse } from '../platform/http/refuse.ts'
import { listPageComments } from './page-comment-store.ts'
import { postMarkdown } from './post-markdown.ts'
import { postPage } from './post-page.ts'
import type { Handler, SiteServices } from './services.ts'

export const showPost: Handler<typeof declared> = (services, call) => {
  const { postId } = call.params
  return openPage<never>(services, call, {
    stamp: () => services.discovery.postStamps.page(postId),
    find: () => findPublicPost(services.pool, postId),
  })
}

/** The same page at its canonical URL. Every other spelling of it redirects. */
export const showPostBySlug: Handler<typeof declaredBySlug> = (services, call) => {
  const { params, query } = call
  const { handle, slug } = params
  const findMoved = () => findMovedPost(services, handle, slug)
  return openPage(services, call, {
    stamp: () => services.discovery.postStamps.pageBySlug({ handle, slug }),
    find: async () => (await findPublicPostBySlug(services.pool, handle, slug)) ?? findMoved(),
    findMoved,
    redirect(post) {
      if (post.handle === handle && post.slug === slug) return undefined
      const location = canonicalPostPath(post)
      if (query.gift === undefined) return { status: 301, headers: { location } } as const
      const gift = encodeURIComponent(query.gift)
      return { status: 301, headers: { ...giftHeaders, location: `${location}?gift=${gift}` } } as const
    },
  })
}

/** A post that was at this path of its author's old site. */
async function findMovedPost({ pool }: SiteServices, handle: string, slug: string) {
  const postId = await findOldPathOfAuthor(pool, handle, `/${encodeURI(slug)}`)
  return postId === undefined ? undefined : findPublicPost(pool, postId)
}

type PageRequest = Pick<Call<typeof declared>, 'query' | 'headers' | 'origin' | 'ip' | 'visit'>
type PostAddress = Pick<PublicPostDetail, 'id' | 'handle' | 'slug'>

interface WantedPost<Redirect> {
  readonly stamp: () => Promise<PostStamp | undefined>
  readonly find: () => Promise<PublicPostDetail | undefined>
  /** Finds a post that has moved, if none is at this URL. */
  readonly findMoved?: () => Promise<PublicPostDetail | undefined>
  /** The reply if the post is not at this URL. */
  readonly redirect?: (post: PostAddress) => Redirect | undefined
}

/** The page of a post, whichever URL was used for it. Counts the reader. */
async function openPage<Redirect extends { readonly status: 301 }>(
  services: SiteServices,
  { query, headers, origin, ip, visit }: PageRequest,
  { stamp, find, findMoved, redirect }: WantedPost<Redirect>,
) {
  if (query.gift !== undefined) {
    const post = (await find()) ?? refuse(postPageNotFound)
    const elsewhere = redirect?.(post)
    if (elsewhere) return elsewhere
    if (post.has_paywall) {
      services.readers.note(post.id, { ip, visit })
      return giftPage(services, post, query.gift, origin)
    }
  }
  const stamped = await stamp()
  if (!stamped) {
    const moved = await findMoved?.()
    return (moved && redirect?.(moved)) ?? refuse(postPageNotFound)
  }
  const { address, reply } =
    (await publicPage(services, stamped, origin, prefersMarkdown(headers.accept))) ?? refuse(postPageNotFound)
  const elsewhere = redirect?.(address)
  if (elsewhere) return elsewhere
  services.readers.note(address.id, { ip, visit, sawPaywall: isStranger(services, visit) })
  return reply
}

/**
 * Whether the reader is not signed in, and therefore sees the paywall of a paid post. The script of the page finds out what
 * a signed-in reader may read.
 */
const isStranger = ({ origins }: SiteServices, { cookie }: Visit): boolean =>
  readSessionCookie(cookie, origins.base) === undefined

/** The page, which is rendered again only after something on it has changed. */
function publicPage(services: SiteServices, stamped: PostStamp, origin: string, isMarkdown: boolean) {
  const key = `${isMarkdown ? 'markdown' : 'page'} ${origin} ${services.site.version()} ${pricingState(services)}`
  const read = async (reader: Reader) => {
    const post = await findPublicPost(reader, stamped.postId)
    return post && { post, parts: isMarkdown ? noComments : await firstCommentsOf(reader, post) }
  }
  return services.discovery.postReplies.get(key, stamped, read, ({ post, parts }) => {
    const made = isMarkdown ? markdownReply(post, origin) : postPage(services, post, parts, origin)
    const headers = { ...made.headers, ...disclosureHeader(post.creation_method), vary: 'Accept' }
    const { id, handle, slug } = post
    // Kept as bytes: a concatenated string with characters beyond Latin-1 takes several times as much memory.
    const body = Buffer.from(made.body)
    return { address: { id, handle, slug }, reply: { ...made, headers, body }, bytes: body.length }
  })
}

async function giftPage(services: SiteServices, post: PublicPostDetail, token: string, origin: string) {
  const opened = await openGift(services, post.id, token)
  const gift = { token, paidHtml: opened?.paid_html }
  const page = postPage(services, post, { ...(await firstCommentsOf(services.pool, post)), gift }, origin)
  return { ...page, headers: { ...page.headers, ...giftHeaders } }
}

export const getPostMarkdown: Handler<typeof declaredMarkdown> = async (services, { params, origin, ip, visit }) => {
  const post = (await findPublicPost(services.pool, params.postId)) ?? refuse(postPageNotFound)
  services.readers.note(post.id, { ip, visit, sawPaywall: isStranger(services, visit) })
  const reply = markdownReply(post, origin)
  return { ...reply, headers: { ...reply.headers, ...disclosureHeader(post.creation_method) } }
}

// A gift is for one reader: caches must not store it, and search engines must not list it.
const giftHeaders = {
  'cache-control': 'private, no-store',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
}

const noComments = { comments: [], hasMore: false }

/** The first comments, and whether there are more. */
async function firstCommentsOf(reader: Reader, { id, comment_count }: PublicPostDetail) {
  if (comment_count === 0) return noComments
  const found = await listPageComments(reader, id, pageCommentsRead)
  return { comments: found.slice(0, pageCommentsRead - 1), hasMore: found.length === pageCommentsRead }
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
