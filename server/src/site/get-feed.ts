import type { getCollectionRss, getCreatorRss, getSiteRss } from '@pennypost/contract/feeds'
import { collectionNotFound, creatorNotFound } from '@pennypost/contract/public-pages'
import { etagOf } from '../platform/http/conditional-request.ts'
import { refuse } from '../platform/http/refuse.ts'
import { collectionPath, creatorPath, movedTo } from './addresses.ts'
import { atom } from './atom.ts'
import { findCreator, findPublicTagBySlug } from './creator-store.ts'
import { type Feed, feedItem } from './feed.ts'
import { type FeedSource, listFeedPosts, readFeedState } from './feed-store.ts'
import { jsonFeed } from './json-feed.ts'
import { oneLine, shortened } from './legible.ts'
import { rss } from './rss.ts'
import type { Handler, SiteServices } from './services.ts'

// One feed for the site, one for each creator, one for each collection; each in three formats. The formats differ in
// nothing but their bytes, so an operation of a source is the same whichever it answers.

export const formats = { 'feed.xml': rss, 'atom.xml': atom, 'feed.json': jsonFeed }
export type FileName = keyof typeof formats

export const siteFeed =
  (file: FileName): Handler<typeof getSiteRss> =>
  async (services, { origin }) =>
    feedReply(services, file, origin, {
      source: { kind: 'site' },
      path: '/',
      title: 'Pennypost',
      description: 'The newest Posts.',
    })

export const creatorFeed =
  (file: FileName): Handler<typeof getCreatorRss> =>
  async (services, { params, origin }) => {
    const creator = (await findCreator(services.pool, params.handle)) ?? refuse(creatorNotFound)
    const path = creatorPath(creator.handle)
    if (params.handle !== creator.handle) return movedTo(`${path}/${file}`)
    return feedReply(services, file, origin, {
      source: { kind: 'creator', accountId: creator.id },
      path,
      title: oneLine(creator.name),
      description: shortened(oneLine(creator.bio ?? ''), 300) || `Posts by ${oneLine(creator.name)}.`,
    })
  }

export const collectionFeed =
  (file: FileName): Handler<typeof getCollectionRss> =>
  async (services, { params, origin }) => {
    const tag = (await findPublicTagBySlug(services.pool, params.handle, params.slug)) ?? refuse(collectionNotFound)
    const path = collectionPath(tag.handle, tag.slug)
    if (params.handle !== tag.handle || params.slug !== tag.slug) return movedTo(`${path}/${file}`)
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
  /** The page that it is the feed of. */
  readonly path: string
}

/** The texts are read and written only for who does not have them yet. */
async function feedReply({ pool, clock }: SiteServices, file: FileName, origin: string, about: About) {
  const { source, path, title, description } = about
  const { posts, changedAt } = await readFeedState(pool, source)
  const etag = etagOf(file, origin, path, title, description, JSON.stringify(posts))
  const write = async () => {
    const items = (
      await listFeedPosts(
        pool,
        posts.map(({ id }) => id),
      )
    ).map((post) => feedItem(post, origin))
    const feedUrl = `${origin}${path === '/' ? '' : path}/${file}`
    return formats[file]({
      title,
      description,
      homeUrl: origin + path,
      id: feedUrl,
      feedUrl,
      // Atom wants a time even where nothing ever happened.
      updated: changedAt ?? new Date(0),
      items,
    })
  }
  return { status: 200, headers: { etag, ...lastModified(changedAt, clock.now()) }, body: write } as const
}

/** It counts whole seconds: in the second of a change it cannot tell before from after, and is left out. */
function lastModified(changedAt: Date | undefined, now: Date): Record<string, string> {
  if (changedAt === undefined || now.getTime() - changedAt.getTime() < 1000) return {}
  return { 'last-modified': changedAt.toUTCString() }
}
