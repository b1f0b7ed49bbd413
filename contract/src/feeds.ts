import { type RawBody, raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { pageEndpoint } from './page-endpoint.ts'
import { collectionNotFound, collectionParams, creatorNotFound, creatorParams, moved, movedTo } from './public-pages.ts'

const feed = { ...pageEndpoint, tag: 'Feeds', errors: 'problem', fromReplica: 'always', sharesWork: 'always' } as const
const rss = raw('application/rss+xml; charset=utf-8', 'The newest 50 posts as RSS 2.0.')
const atom = raw('application/atom+xml; charset=utf-8', 'The newest 50 posts as Atom.')
const jsonFeed = raw('application/feed+json; charset=utf-8', 'The newest 50 posts as JSON Feed 1.1.')

const siteFeed = (path: string, summary: string, format: RawBody) =>
  endpoint({ ...feed, path, summary, replies: { 200: format } })

const creatorFeed = (path: string, summary: string, format: RawBody) =>
  endpoint({
    ...feed,
    path,
    summary,
    request: { params: creatorParams },
    replies: { 200: format, 308: moved },
    replyHeaders: movedTo,
    refusals: [creatorNotFound],
  })

const collectionFeed = (path: string, summary: string, format: RawBody) =>
  endpoint({
    ...feed,
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
