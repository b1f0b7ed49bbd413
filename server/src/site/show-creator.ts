import { creatorNotFound, type showCreator as declared } from '@pennypost/contract/public-pages'
import { oneLine } from '@pennypost/site/clean-text'
import { CreatorPage } from '@pennypost/site/components/creator-page'
import { OpenGraph } from '@pennypost/site/components/head'
import { creatorPath } from '@pennypost/site/paths'
import { readPosts } from '../discovery/card-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import { findCreator } from './creator-store.ts'
import { personOf } from './person.ts'
import { postCard } from './post-card.ts'
import { redirectTo } from './redirect-to.ts'
import type { Handler } from './services.ts'
import { sitePage } from './site-page.ts'
import { findPinnedPost, listCreatorPosts } from './site-post-store.ts'

const perPage = 24

export const showCreator: Handler<typeof declared> = async (services, { params, query, origin }) => {
  const { pool, site } = services
  const creator = (await findCreator(pool, params.handle)) ?? refuse(creatorNotFound)
  const path = creatorPath(creator.handle)
  const pathOf = (page: number) => (page === 1 ? path : `${path}?page=${page}`)
  if (params.handle !== creator.handle) return redirectTo(pathOf(query.page))
  const { page } = query
  // One more than is shown tells whether there is a next page.
  const [found, pinned] = await Promise.all([
    listCreatorPosts(pool, creator.id, creator.pinned_post_id, perPage + 1, (page - 1) * perPage),
    page === 1 && creator.pinned_post_id ? findPinnedPost(pool, creator.id, creator.pinned_post_id) : undefined,
  ])
  const posts = await readPosts(pool, found.slice(0, perPage))
  const name = oneLine(creator.name)
  return sitePage(site.settings(), {
    title: `${name} (@${creator.handle})`,
    description: creator.bio ?? `Posts by ${name}.`,
    canonicalUrl: origin + pathOf(page),
    feedPath: `${path}/`,
    entry: 'profile',
    hidden: posts.length === 0 && pinned === undefined,
    head: OpenGraph({
      properties: [
        ['og:type', 'profile'],
        ['og:title', name],
        ['og:url', origin + path],
        ['profile:username', creator.handle],
      ],
    }),
    body: CreatorPage({
      creator: {
        id: creator.id,
        ...personOf(creator),
        bio: creator.bio,
        location: creator.location,
        headerImageUrl: creator.header_image_url,
        socialLinks: creator.social_links ?? [],
      },
      pinned: pinned && postCard(services, pinned),
      posts: posts.map((post) => postCard(services, post)),
      page,
      hasMore: found.length > perPage,
      pathOf,
    }),
  })
}
