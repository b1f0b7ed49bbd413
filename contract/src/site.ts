import { z } from 'zod'
import { nothing, type RawBody, raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { Handle } from './handle.ts'
import { refusal } from './refusal.ts'
import { queryInteger, Uuid } from './schemas.ts'

// Public pages, feeds and files for crawlers. They hold the free content of posts only.

export const postPageNotFound = refusal('post-not-found', 404, 'This post does not exist, or is no longer public.')
export const creatorNotFound = refusal('creator-not-found', 404, 'No creator has this handle.')
export const collectionNotFound = refusal('collection-not-found', 404, 'This creator has no such tag.')
export const sitemapNotFound = refusal('sitemap-not-found', 404, 'The sitemap has no such part.')

// Cached for half a minute, then revalidated cheaply: an unpublished post disappears from caches within 30 seconds.
const fresh = { cache: { seconds: 30, mustRevalidate: true }, conditional: true, compressed: true } as const
const forPeople = { method: 'GET', tag: 'Pages', credential: 'none', errors: 'page', ...fresh } as const
const forFeedReaders = { method: 'GET', tag: 'Feeds', credential: 'none', errors: 'problem', ...fresh } as const
const forCrawlers = { method: 'GET', tag: 'For machines', credential: 'none', errors: 'problem' } as const

const htmlPage = (description: string) => raw('text/html; charset=utf-8', description)
const moved = nothing('The canonical URL is in `Location`.')
const movedTo = { Location: 'The canonical URL, if the request used another spelling.' }
const disclosure = {
  'AI-Disclosure':
    'How the post was made: `none`, `ai-assisted`, `ai-generated` or `autonomous`. Left out if the author did not say.',
}

// --- Pages -----------------------------------------------------------------------------------------------------------

// A form also sends empty fields, which count as absent. Other values are checked by the catalog.
const field = z.preprocess((value) => (value === '' ? undefined : value), z.string().max(200).optional())

/** The filters of the catalog as its page accepts them. */
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
  summary: 'Show the catalog',
  description: 'Takes the same filters as the API. Empty fields are ignored.',
  request: { query: CatalogFilters },
  replies: { 200: htmlPage('A page of posts.') },
})

export const showPost = endpoint({
  ...forPeople,
  path: '/posts/{postId}',
  summary: 'Show a published post, as a page or as Markdown by `Accept: text/markdown`',
  request: {
    params: z.object({ postId: Uuid }),
    query: z.object({ gift: z.string().max(200).optional().meta({ description: 'The token of a gift link.' }) }),
    headers: z.object({ accept: z.string().optional() }),
  },
  replies: { 200: htmlPage('The free content and the price of the rest, or everything through a gift link.') },
  replyHeaders: { ...disclosure, Vary: '`Accept` and `Accept-Encoding`.' },
  refusals: [postPageNotFound],
})

export const getPostMarkdown = endpoint({
  ...forPeople,
  errors: 'problem',
  path: '/posts/{postId}.md',
  summary: 'Get the free content of a published post as Markdown',
  request: { params: z.object({ postId: Uuid }) },
  replies: { 200: raw('text/markdown; charset=utf-8', 'Front matter, then the original Markdown.') },
  replyHeaders: disclosure,
  refusals: [postPageNotFound],
})

const creatorParams = z.object({ handle: Handle })
const collectionParams = z.object({ handle: Handle, slug: z.string().min(1).max(200) })
// The same depth as the lists of the API.
const pageQuery = z.object({ page: queryInteger({ min: 1, max: 1998, default: 1 }) })

export const showCreator = endpoint({
  ...forPeople,
  path: '/@{handle}',
  summary: 'Show a creator and their posts',
  request: { params: creatorParams, query: pageQuery },
  replies: { 200: htmlPage('A page of posts.'), 308: moved },
  replyHeaders: movedTo,
  refusals: [creatorNotFound],
})

export const showCollection = endpoint({
  ...forPeople,
  path: '/@{handle}/tags/{slug}',
  summary: "Show the posts of a creator's tag",
  request: { params: collectionParams, query: pageQuery },
  replies: { 200: htmlPage('A page of posts.'), 308: moved },
  replyHeaders: movedTo,
  refusals: [collectionNotFound],
})

export const showTag = endpoint({
  ...forPeople,
  path: '/tags/{tagId}',
  summary: 'Redirect to the page of a tag',
  request: { params: z.object({ tagId: Uuid }) },
  replies: { 308: nothing('The page is at `Location`.') },
  replyHeaders: { Location: 'The page of the tag.' },
  refusals: [collectionNotFound],
})

// --- Feeds -----------------------------------------------------------------------------------------------------------

const rss = raw('application/rss+xml; charset=utf-8', 'The newest 50 posts as RSS 2.0.')
const atom = raw('application/atom+xml; charset=utf-8', 'The newest 50 posts as Atom.')
const jsonFeed = raw('application/feed+json; charset=utf-8', 'The newest 50 posts as JSON Feed 1.1.')

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

export const getSiteRss = siteFeed('/feed.xml', 'Get the newest posts as RSS', rss)
export const getSiteAtom = siteFeed('/atom.xml', 'Get the newest posts as Atom', atom)
export const getSiteJsonFeed = siteFeed('/feed.json', 'Get the newest posts as JSON Feed', jsonFeed)

export const getCreatorRss = creatorFeed('/@{handle}/feed.xml', "Get a creator's newest posts as RSS", rss)
export const getCreatorAtom = creatorFeed('/@{handle}/atom.xml', "Get a creator's newest posts as Atom", atom)
export const getCreatorJsonFeed = creatorFeed(
  '/@{handle}/feed.json',
  "Get a creator's newest posts as JSON Feed",
  jsonFeed,
)

const ofTag = '/@{handle}/tags/{slug}'
export const getCollectionRss = collectionFeed(`${ofTag}/feed.xml`, 'Get the newest posts of a tag as RSS', rss)
export const getCollectionAtom = collectionFeed(`${ofTag}/atom.xml`, 'Get the newest posts of a tag as Atom', atom)
export const getCollectionJsonFeed = collectionFeed(
  `${ofTag}/feed.json`,
  'Get the newest posts of a tag as JSON Feed',
  jsonFeed,
)

// --- For machines ----------------------------------------------------------------------------------------------------

export const getSitemapIndex = endpoint({
  ...forCrawlers,
  path: '/sitemap.xml',
  summary: 'Get the sitemap index',
  replies: { 200: raw('application/xml; charset=utf-8', 'A sitemap index.') },
  cache: { seconds: 300 },
})

export const getSitemap = endpoint({
  ...forCrawlers,
  path: '/sitemaps/{part}.xml',
  summary: 'Get one part of the sitemap',
  request: { params: z.object({ part: z.string().regex(/^(site|(posts|creators|collections)-[1-9][0-9]{0,3})$/) }) },
  replies: { 200: raw('application/xml; charset=utf-8', 'At most 50,000 URLs.') },
  refusals: [sitemapNotFound],
  cache: { seconds: 300 },
})

export const getRobots = endpoint({
  ...forCrawlers,
  path: '/robots.txt',
  summary: 'Get the rules for crawlers',
  replies: { 200: raw('text/plain; charset=utf-8', 'A robots.txt file.') },
  cache: { seconds: 3600 },
})

export const getIcon = endpoint({
  method: 'GET',
  tag: 'Pages',
  credential: 'none',
  errors: 'problem',
  path: '/favicon.svg',
  summary: 'Get the icon of the site',
  replies: { 200: raw('image/svg+xml', 'An SVG image.') },
  cache: { seconds: 86_400 },
})

export const getOldIcon = endpoint({
  method: 'GET',
  tag: 'Pages',
  credential: 'none',
  errors: 'problem',
  path: '/favicon.ico',
  summary: 'Redirect from the default icon path of browsers',
  replies: { 308: nothing('The icon is at `Location`.') },
  replyHeaders: { Location: 'The URL of the icon.' },
  cache: { seconds: 86_400 },
})

export const getLlmsText = endpoint({
  ...forCrawlers,
  path: '/llms.txt',
  summary: 'Explain this service to a language model',
  replies: {
    200: raw('text/markdown; charset=utf-8', 'What the service offers, and how to find, read and buy posts.'),
  },
  cache: { seconds: 3600 },
})
