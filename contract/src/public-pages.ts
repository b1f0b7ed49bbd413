import { z } from 'zod'
import { nothing, raw } from './body.ts'
import { leaderboards, searches } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { Handle } from './handle.ts'
import { htmlPage, pageEndpoint } from './page-endpoint.ts'
import { refusal } from './refusal.ts'
import { queryInteger, Uuid } from './schemas.ts'

// Pages that anyone can read. They hold the free content of posts only.

export const postPageNotFound = refusal('post-not-found', 404, 'This post does not exist, or is no longer public.')
export const creatorNotFound = refusal('creator-not-found', 404, 'No creator has this handle.')
export const collectionNotFound = refusal('collection-not-found', 404, 'This creator has no such tag.')

export const sitePageNotFound = refusal('site-page-not-found', 404, 'The operator has not written this page.')

export const moved = nothing('The canonical URL is in `Location`.')
export const movedTo = { Location: 'The canonical URL, if the request used another spelling.' }
const disclosure = {
  'AI-Disclosure':
    'How the post was made: `none`, `ai-assisted`, `ai-generated` or `autonomous`. Left out if the author did not say.',
}

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
  fromReplica: 'always',
  ...pageEndpoint,
  path: '/',
  summary: 'Show the catalog',
  description: 'Takes the same filters as the API. Empty fields are ignored.',
  request: { query: CatalogFilters },
  replies: { 200: htmlPage('A page of posts.') },
  handlerLimits: [searches],
  sharesWork: 'always',
})

export const showPost = endpoint({
  fromReplica: 'without-query',
  ...pageEndpoint,
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
  // The query is a gift, whose page is for one reader.
  sharesWork: 'without-query',
})

export const showPostBySlug = endpoint({
  fromReplica: 'without-query',
  ...pageEndpoint,
  path: '/@{handle}/{slug}',
  summary: 'Show a published post at its canonical URL',
  description:
    'The same page as `/posts/{postId}`. A slug that the post had before, a handle that its author had before and other spellings redirect.',
  request: { ...showPost.request, params: z.object({ handle: Handle, slug: z.string().min(1).max(200) }) },
  replies: { ...showPost.replies, 301: moved },
  replyHeaders: { ...showPost.replyHeaders, ...movedTo },
  refusals: [postPageNotFound],
  sharesWork: 'without-query',
})

export const getPostMarkdown = endpoint({
  fromReplica: 'always',
  ...pageEndpoint,
  errors: 'problem',
  path: '/posts/{postId}.md',
  summary: 'Get the free content of a published post as Markdown',
  request: { params: z.object({ postId: Uuid }) },
  replies: { 200: raw('text/markdown; charset=utf-8', 'Front matter, then the original Markdown.') },
  replyHeaders: disclosure,
  refusals: [postPageNotFound],
})

export const creatorParams = z.object({ handle: Handle })
export const collectionParams = z.object({ handle: Handle, slug: z.string().min(1).max(200) })
// The same depth as the lists of the API.
const pageQuery = z.object({ page: queryInteger({ min: 1, max: 1998, default: 1 }) })

export const showCreator = endpoint({
  fromReplica: 'always',
  ...pageEndpoint,
  path: '/@{handle}',
  summary: 'Show a creator and their posts',
  request: { params: creatorParams, query: pageQuery },
  replies: { 200: htmlPage('A page of posts.'), 308: moved },
  replyHeaders: movedTo,
  refusals: [creatorNotFound],
})

export const showCollection = endpoint({
  fromReplica: 'always',
  ...pageEndpoint,
  path: '/@{handle}/tags/{slug}',
  summary: "Show the posts of a creator's tag",
  request: { params: collectionParams, query: pageQuery },
  replies: { 200: htmlPage('A page of posts.'), 308: moved },
  replyHeaders: movedTo,
  refusals: [collectionNotFound],
})

export const showTag = endpoint({
  fromReplica: 'always',
  ...pageEndpoint,
  path: '/tags/{tag}',
  summary: 'Show the posts of all creators with a tag',
  description: 'By the slug of the tag. The id of a tag redirects to the page of its creator.',
  request: {
    params: z.object({ tag: z.string().min(1).max(200).meta({ description: 'A slug, or the id of a tag.' }) }),
    query: pageQuery,
  },
  replies: { 200: htmlPage('A page of posts.'), 308: moved },
  replyHeaders: movedTo,
  refusals: [collectionNotFound],
})

export const showLeaderboard = endpoint({
  fromReplica: 'always',
  ...pageEndpoint,
  path: '/leaderboards',
  summary: 'Show the leaderboards',
  request: {
    query: z.object({
      board: z.enum(leaderboards).default('creators_followers'),
      asset: z.enum(['XNO', 'USDC']).default('XNO'),
      page: queryInteger({ min: 1, max: 1000, default: 1 }),
    }),
  },
  replies: { 200: htmlPage('A page of people.') },
})

const operatorPage = (path: string, summary: string) =>
  endpoint({
    ...pageEndpoint,
    path,
    summary,
    replies: { 200: htmlPage('A text by the operator.') },
    refusals: [sitePageNotFound],
  })

export const showAbout = operatorPage('/about', 'Show what this site is')
export const showTerms = operatorPage('/terms', 'Show the terms of use')
export const showPrivacy = operatorPage('/privacy', 'Show the privacy policy')
