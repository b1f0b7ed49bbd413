import {
  collectionNotFound,
  type showCollection as declared,
  type showTag as declaredTag,
} from '@pennypost/contract/public-pages'
import { Uuid } from '@pennypost/contract/schemas'
import { oneLine } from '@pennypost/site/clean-text'
import { CollectionPage } from '@pennypost/site/components/collection-page'
import { collectionPath, tagPath } from '@pennypost/site/paths'
import { readPosts } from '../discovery/card-store.ts'
import { listCollectionPosts } from '../discovery/public-post-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import { findPublicTag, findPublicTagBySlug, findTagName, listTaggedPosts } from './creator-store.ts'
import { postCard } from './post-card.ts'
import { redirectTo } from './redirect-to.ts'
import type { Handler } from './services.ts'
import { sitePage } from './site-page.ts'

const perPage = 24

export const showCollection: Handler<typeof declared> = async (services, { params, query, origin }) => {
  const { pool, site } = services
  const tag = (await findPublicTagBySlug(pool, params.handle, params.slug)) ?? refuse(collectionNotFound)
  const path = collectionPath(tag.handle, tag.slug)
  const pathOf = (page: number) => (page === 1 ? path : `${path}?page=${page}`)
  if (params.handle !== tag.handle || params.slug !== tag.slug) return redirectTo(pathOf(query.page))
  const { page } = query
  // One more than is shown tells whether there is a next page.
  const found = await listCollectionPosts(pool, tag.id, perPage + 1, (page - 1) * perPage)
  const posts = await readPosts(pool, found.slice(0, perPage))
  const [name, creator] = [oneLine(tag.name), oneLine(tag.creator_name)]
  return sitePage(site.settings(), {
    title: `${name} · ${creator}`,
    description: `Posts by ${creator} about ${name}.`,
    canonicalUrl: origin + pathOf(page),
    feedPath: `${path}/`,
    body: CollectionPage({
      name,
      creator: { handle: tag.handle, name: creator },
      posts: posts.map((post) => postCard(services, post)),
      page,
      hasMore: found.length > perPage,
      pathOf,
    }),
  })
}

/** The posts of all creators with a tag. A tag's id redirects to the collection of its creator. */
export const showTag: Handler<typeof declaredTag> = async (services, { params, query, origin }) => {
  const { pool, site } = services
  if (Uuid.safeParse(params.tag).success) {
    const tag = (await findPublicTag(pool, params.tag)) ?? refuse(collectionNotFound)
    return redirectTo(collectionPath(tag.handle, tag.slug))
  }
  const slug = params.tag.toLowerCase()
  const path = tagPath(slug)
  const pathOf = (page: number) => (page === 1 ? path : `${path}?page=${page}`)
  if (params.tag !== slug) return redirectTo(pathOf(query.page))
  const { page } = query
  const found = await listTaggedPosts(pool, slug, perPage + 1, (page - 1) * perPage)
  // The tag's name, from any post that has it.
  const tagName = await findTagName(pool, slug)
  if (tagName === undefined) return refuse(collectionNotFound)
  const posts = await readPosts(pool, found.slice(0, perPage))
  const name = oneLine(tagName)
  return sitePage(site.settings(), {
    title: `${name}`,
    description: `Posts about ${name}.`,
    canonicalUrl: origin + pathOf(page),
    body: CollectionPage({
      name,
      posts: posts.map((post) => postCard(services, post)),
      page,
      hasMore: found.length > perPage,
      pathOf,
    }),
  })
}
