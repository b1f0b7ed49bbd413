import {
  collectionNotFound,
  type showCollection as declared,
  type showTag as declaredTag,
} from '@pennypost/contract/public-pages'
import { readPosts } from '../discovery/card-store.ts'
import { listCollectionPosts } from '../discovery/public-post-store.ts'
import { html } from '../platform/http/page.ts'
import { refuse } from '../platform/http/refuse.ts'
import { oneLine } from './clean-text.ts'
import { findPublicTag, findPublicTagBySlug } from './creator-store.ts'
import { collectionPath, creatorPath, redirectTo } from './paths.ts'
import { postList } from './post-list.ts'
import type { Handler } from './services.ts'
import { pager, sitePage } from './site-page.ts'

const perPage = 24

export const showCollection: Handler<typeof declared> = async ({ pool }, { params, query, origin }) => {
  const tag = (await findPublicTagBySlug(pool, params.handle, params.slug)) ?? refuse(collectionNotFound)
  const path = collectionPath(tag.handle, tag.slug)
  const addressOf = (page: number) => (page === 1 ? path : `${path}?page=${page}`)
  if (params.handle !== tag.handle || params.slug !== tag.slug) return redirectTo(addressOf(query.page))
  const { page } = query
  // One more than is shown tells whether there is a next page.
  const found = await listCollectionPosts(pool, tag.id, perPage + 1, (page - 1) * perPage)
  const posts = await readPosts(pool, found.slice(0, perPage))
  const [name, creator] = [oneLine(tag.name), oneLine(tag.creator_name)]
  return sitePage({
    title: `${name} · ${creator} · Pennypost`,
    description: `Posts by ${creator} about ${name}.`,
    canonicalUrl: origin + addressOf(page),
    feedPath: `${path}/`,
    body: html`<main id="main" class="list">
<p class="eyebrow">Collection</p>
<h1 dir="auto">${name}</h1>
<p class="facts">Posts by <a href="${creatorPath(tag.handle)}"><bdi>${creator}</bdi></a></p>
${posts.length > 0 ? postList(posts) : html`<p class="empty">Nothing is on this page.</p>`}
${pager(page, found.length > perPage, addressOf)}
</main>`,
  })
}

/** Redirects a tag's id to the readable path of its collection. */
export const showTag: Handler<typeof declaredTag> = async ({ pool }, { params }) => {
  const tag = (await findPublicTag(pool, params.tagId)) ?? refuse(collectionNotFound)
  return redirectTo(collectionPath(tag.handle, tag.slug))
}
