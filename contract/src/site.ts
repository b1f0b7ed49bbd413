import { z } from 'zod'
import { nothing, type RawBody, raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { Handle } from './handle.ts'
import { refusal } from './refusal.ts'
import { queryInteger, Uuid } from './schemas.ts'

// What people, feed readers and crawlers read. Only what is public, and of a paid Post only its free part.

export const postPageNotFound = refusal('post-not-found', 404, 'This Post does not exist, or is no longer public.')
export const creatorNotFound = refusal('creator-not-found', 404, 'Nobody here has this handle.')
export const collectionNotFound = refusal('collection-not-found', 404, 'There is no such collection of Posts.')
export const sitemapNotFound = refusal('sitemap-not-found', 404, 'There is no such part of the sitemap.')

// Asked again soon, and cheap to ask: what is withdrawn is gone at once, but for copies that are half a minute old.
const fresh = { cache: { seconds: 30, mustRevalidate: true }, conditional: true, compressed: true } as const
const forPeople = { method: 'GET', tag: 'Pages', credential: 'none', errors: 'page', ...fresh } as const
const forFeedReaders = { method: 'GET', tag: 'Feeds', credential: 'none', errors: 'problem', ...fresh } as const
const forCrawlers = { method: 'GET', tag: 'For machines', credential: 'none', errors: 'problem' } as const

const htmlPage = (description: string) => raw('text/html; charset=utf-8', description)
const moved = nothing('The same in its right spelling, which is in `Location`.')
const movedTo = { Location: 'Where it is, when the address is spelled in another way.' }
const disclosure = {
  'AI-Disclosure':
    'How it was made: `none`, `ai-assisted`, `ai-generated` or `autonomous`. Left out where nobody said.',
}

// --- Pages -----------------------------------------------------------------------------------------------------------

// A form sends its empty fields too; they say nothing. What the others may be, the catalog knows.
const field = z.preprocess((value) => (value === '' ? undefined : value), z.string().max(200).optional())

/** The filters of the catalog (§4), as its page takes them. */
const CatalogFilters = z.object({
  q: field,
  sort: field,
  access: field,
  author: field,
  category: field,
  language: field,
  has_attachments: field,
  max_price_raw: field,
  asset: field,
  network: field,
  max_amount_atomic: field,
  page: queryInteger({ min: 1, max: 1000, default: 1 }),
})
export type CatalogFilters = z.output<typeof CatalogFilters>

export const showCatalog = endpoint({
  ...forPeople,
  path: '/',
  summary: 'All Posts, to search and to filter',
  description: 'The form of this page takes the filters of the catalog. An empty field says nothing.',
  request: { query: CatalogFilters },
  replies: { 200: htmlPage('A page of Posts.') },
})

export const showPost = endpoint({
  ...forPeople,
  path: '/posts/{postId}',
  summary: 'A published Post as a page, or as Markdown where `Accept` asks for `text/markdown`',
  request: {
    params: z.object({ postId: Uuid }),
    query: z.object({ gift: z.string().max(200).optional().meta({ description: 'The token of a gift link.' }) }),
    headers: z.object({ accept: z.string().optional() }),
  },
  replies: { 200: htmlPage('The free part of the Post, and what the rest costs; through a gift link the whole.') },
  replyHeaders: { ...disclosure, Vary: '`Accept` and `Accept-Encoding`.' },
  refusals: [postPageNotFound],
})

export const getPostMarkdown = endpoint({
  ...forPeople,
  errors: 'problem',
  path: '/posts/{postId}.md',
  summary: 'The free part of a published Post as Markdown',
  request: { params: z.object({ postId: Uuid }) },
  replies: { 200: raw('text/markdown; charset=utf-8', 'Front matter, then the text as it was written.') },
  replyHeaders: disclosure,
  refusals: [postPageNotFound],
})

const creatorParams = z.object({ handle: Handle })
const collectionParams = z.object({ handle: Handle, slug: z.string().min(1).max(200) })
// As deep as the collections of the API.
const pageQuery = z.object({ page: queryInteger({ min: 1, max: 1998, default: 1 }) })

export const showCreator = endpoint({
  ...forPeople,
  path: '/@{handle}',
  summary: 'A creator and their Posts, the pinned one and then the newest first',
  request: { params: creatorParams, query: pageQuery },
  replies: { 200: htmlPage('A page of Posts.'), 308: moved },
  replyHeaders: movedTo,
  refusals: [creatorNotFound],
})

export const showCollection = endpoint({
  ...forPeople,
  path: '/@{handle}/tags/{slug}',
  summary: "The published Posts of a creator's tag, the newest first",
  request: { params: collectionParams, query: pageQuery },
  replies: { 200: htmlPage('A page of Posts.'), 308: moved },
  replyHeaders: movedTo,
  refusals: [collectionNotFound],
})

export const showTag = endpoint({
  ...forPeople,
  path: '/tags/{tagId}',
  summary: 'Leads to the collection of a tag',
  request: { params: z.object({ tagId: Uuid }) },
  replies: { 308: nothing('The collection is at `Location`.') },
  replyHeaders: { Location: 'The page of the collection.' },
  refusals: [collectionNotFound],
})

// --- Feeds -----------------------------------------------------------------------------------------------------------

const rss = raw('application/rss+xml; charset=utf-8', 'The newest 50 Posts as RSS 2.0.')
const atom = raw('application/atom+xml; charset=utf-8', 'The newest 50 Posts as Atom.')
const jsonFeed = raw('application/feed+json; charset=utf-8', 'The newest 50 Posts as JSON Feed 1.1.')

const siteFeed = (path: string, summary: string, format: RawBody) =>
  endpoint({ ...forFeedReaders, path, summary, replies: { 200: format } })

const creatorFeed = (path: string, summary: string, format: RawBody) =>
  endpoint({
    ...forFeedReaders,
    path,
    summary,
    request: { params: creatorParams },
    replies: { 200: format, 308: moved },
    replyHeaders: movedTo,
    refusals: [creatorNotFound],
  })

const collectionFeed = (path: string, summary: string, format: RawBody) =>
  endpoint({
    ...forFeedReaders,
    path,
    summary,
    request: { params: collectionParams },
    replies: { 200: format, 308: moved },
    replyHeaders: movedTo,
    refusals: [collectionNotFound],
  })

export const getSiteRss = siteFeed('/feed.xml', 'The newest Posts as RSS', rss)
export const getSiteAtom = siteFeed('/atom.xml', 'The newest Posts as Atom', atom)
export const getSiteJsonFeed = siteFeed('/feed.json', 'The newest Posts as JSON Feed', jsonFeed)

export const getCreatorRss = creatorFeed('/@{handle}/feed.xml', "A creator's newest Posts as RSS", rss)
export const getCreatorAtom = creatorFeed('/@{handle}/atom.xml', "A creator's newest Posts as Atom", atom)
export const getCreatorJsonFeed = creatorFeed('/@{handle}/feed.json', "A creator's newest Posts as JSON Feed", jsonFeed)

const ofTag = '/@{handle}/tags/{slug}'
export const getCollectionRss = collectionFeed(`${ofTag}/feed.xml`, 'The newest Posts of a tag as RSS', rss)
export const getCollectionAtom = collectionFeed(`${ofTag}/atom.xml`, 'The newest Posts of a tag as Atom', atom)
export const getCollectionJsonFeed = collectionFeed(
  `${ofTag}/feed.json`,
  'The newest Posts of a tag as JSON Feed',
  jsonFeed,
)

// --- For machines ----------------------------------------------------------------------------------------------------

export const getSitemapIndex = endpoint({
  ...forCrawlers,
  path: '/sitemap.xml',
  summary: 'The parts of the sitemap',
  replies: { 200: raw('application/xml; charset=utf-8', 'A sitemap index.') },
  cache: { seconds: 300 },
})

export const getSitemap = endpoint({
  ...forCrawlers,
  path: '/sitemaps/{part}.xml',
  summary: 'One part of the sitemap',
  request: { params: z.object({ part: z.string().regex(/^(site|(posts|creators|collections)-[1-9][0-9]{0,3})$/) }) },
  replies: { 200: raw('application/xml; charset=utf-8', 'At most 50,000 addresses.') },
  refusals: [sitemapNotFound],
  cache: { seconds: 300 },
})

export const getRobots = endpoint({
  ...forCrawlers,
  path: '/robots.txt',
  summary: 'What crawlers may visit',
  replies: { 200: raw('text/plain; charset=utf-8', 'Rules for crawlers.') },
  cache: { seconds: 3600 },
})

export const getIcon = endpoint({
  method: 'GET',
  tag: 'Pages',
  credential: 'none',
  errors: 'problem',
  path: '/favicon.svg',
  summary: 'The icon of the site',
  replies: { 200: raw('image/svg+xml', 'A small picture.') },
  cache: { seconds: 86_400 },
})

export const getOldIcon = endpoint({
  method: 'GET',
  tag: 'Pages',
  credential: 'none',
  errors: 'problem',
  path: '/favicon.ico',
  summary: 'The icon, where browsers look for it by themselves',
  replies: { 308: nothing('It is at the address in `Location`.') },
  replyHeaders: { Location: 'Where it is.' },
  cache: { seconds: 86_400 },
})

export const getLlmsText = endpoint({
  ...forCrawlers,
  path: '/llms.txt',
  summary: 'This service, explained to a language model',
  replies: { 200: raw('text/markdown; charset=utf-8', 'What is here, and how to find, read and buy it.') },
  cache: { seconds: 3600 },
})
