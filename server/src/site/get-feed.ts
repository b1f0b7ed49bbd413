import type { getCollectionRss, getCreatorRss, getSiteRss } from '@pennypost/contract/feeds'
import { collectionNotFound, creatorNotFound } from '@pennypost/contract/public-pages'
import { oneLine, truncate } from '@pennypost/site/clean-text'
import { collectionPath, creatorPath } from '@pennypost/site/paths'
import { etagOf } from '../platform/http/conditional-request.ts'
import { refuse } from '../platform/http/refuse.ts'
import { atom } from './atom.ts'
import { findCreator, findPublicTagBySlug } from './creator-store.ts'
import { type Feed, feedItem } from './feed.ts'
import { type FeedSource, listFeedPosts, readFeedState } from './feed-store.ts'
import { jsonFeed } from './json-feed.ts'
import { redirectTo } from './redirect-to.ts'
import { rss } from './rss.ts'
import type { Handler, SiteServices } from './services.ts'

// Feeds of the site, of each creator and of each collection, in three formats. The formats have the same content, so one
// function makes the handler of a source for any of them.

export const formats = { 'feed.xml': rss, 'atom.xml': atom, 'feed.json': jsonFeed }
export type FeedFileName = keyof typeof formats

export const siteFeed =
  (file: FeedFileName): Handler<typeof getSiteRss> =>
  async (services, { origin }) => {
    const { name, tagline } = services.site.settings()
    return feedReply(services, file, origin, {
      source: { kind: 'site' },
      path: '/',
      title: name,
      description: tagline || 'The newest posts.',
    })
  }

export const creatorFeed =
  (file: FeedFileName): Handler<typeof getCreatorRss> =>
  async (services, { params, origin }) => {
    const creator = (await findCreator(services.pool, params.handle)) ?? refuse(creatorNotFound)
    const path = creatorPath(creator.handle)
    if (params.handle !== creator.handle) return redirectTo(`${path}/${file}`)
    return feedReply(services, file, origin, {
      source: { kind: 'creator', accountId: creator.id },
      path,
      title: oneLine(creator.name),
      description: truncate(oneLine(creator.bio ?? ''), 300) || `Posts by ${oneLine(creator.name)}.`,
    })
  }

export const collectionFeed =
  (file: FeedFileName): Handler<typeof getCollectionRss> =>
  async (services, { params, origin }) => {
    const tag = (await findPublicTagBySlug(services.pool, params.handle, params.slug)) ?? refuse(collectionNotFound)
    const path = collectionPath(tag.handle, tag.slug)
    if (params.handle !== tag.handle || params.slug !== tag.slug) return redirectTo(`${path}/${file}`)
    const [name, creator] = [oneLine(tag.name), oneLine(tag.creator_name)]
    return feedReply(services, file, origin, {
      source: { kind: 'collection', accountId: tag.account_id, tagId: tag.id },
      path,
      title: `${name} · ${creator}`,
      description: `Posts by ${creator} about ${name}.`,
    })
  }

interface About extends Pick<Feed, 'title' | 'description'> {
  readonly source: FeedSource
  /** The path of the page that this is the feed of. */
  readonly path: string
}

/** The posts are read and written only if neither the client nor the service has the feed already. */
async function feedReply(services: SiteServices, file: FeedFileName, origin: string, about: About) {
  const { pool, clock, config, discovery } = services
  const { source, path, title, description } = about
  const { state, changedAt } = await discovery.flights.run(`feed ${path}`, () => readFeedState(pool, source))
  const { webSubHub: hubUrl } = config
  const feedUrl = `${origin}${path === '/' ? '' : path}/${file}`
  const etag = etagOf(file, origin, path, title, description, hubUrl ?? '', state)
  const write = async () =>
    formats[file]({
      title,
      description,
      homeUrl: origin + path,
      id: feedUrl,
      feedUrl,
      hubUrl,
      // Atom requires a time even for an empty feed.
      updated: changedAt ?? new Date(0),
      items: (await listFeedPosts(pool, source)).map((post) => feedItem(post, origin)),
    })
  // Subscribers look for the hub here first.
  const link = hubUrl === undefined ? {} : { link: `<${hubUrl}>; rel="hub", <${feedUrl}>; rel="self"` }
  return { status: 200, headers: { etag, ...link, ...lastModified(changedAt, clock.now()) }, body: write } as const
}

/** `Last-Modified` counts whole seconds. Within the second of a change it is omitted, because another change may follow. */
function lastModified(changedAt: Date | undefined, now: Date): Record<string, string> {
  if (changedAt === undefined || now.getTime() - changedAt.getTime() < 1000) return {}
  return { 'last-modified': changedAt.toUTCString() }
}
