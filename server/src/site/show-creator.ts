import { creatorNotFound, type showCreator as declared } from '@pennypost/contract/public-pages'
import type { ProfileRow } from '../accounts/caller-account.ts'
import { type Html, html } from '../platform/http/page.ts'
import { refuse } from '../platform/http/refuse.ts'
import { avatar } from './avatar.ts'
import { cleanText, oneLine } from './clean-text.ts'
import { findCreator } from './creator-store.ts'
import { creatorPath, redirectTo } from './paths.ts'
import { postList } from './post-list.ts'
import type { Handler } from './services.ts'
import { pager, sitePage } from './site-page.ts'
import { findPinnedPost, listCreatorPosts } from './site-post-store.ts'

const perPage = 24

export const showCreator: Handler<typeof declared> = async ({ pool }, { params, query, origin }) => {
  const creator = (await findCreator(pool, params.handle)) ?? refuse(creatorNotFound)
  const path = creatorPath(creator.handle)
  const addressOf = (page: number) => (page === 1 ? path : `${path}?page=${page}`)
  if (params.handle !== creator.handle) return redirectTo(addressOf(query.page))
  const { page } = query
  // One more than is shown tells whether there is a next page.
  const [found, pinned] = await Promise.all([
    listCreatorPosts(pool, creator.id, creator.pinned_post_id, perPage + 1, (page - 1) * perPage),
    page === 1 && creator.pinned_post_id ? findPinnedPost(pool, creator.id, creator.pinned_post_id) : undefined,
  ])
  const posts = found.slice(0, perPage)
  const name = oneLine(creator.name)
  return sitePage({
    title: `${name} (@${creator.handle}) · Pennypost`,
    description: creator.bio ?? `Posts by ${name}.`,
    canonicalUrl: origin + addressOf(page),
    feedPath: `${path}/`,
    entry: 'profile',
    hidden: posts.length === 0 && pinned === undefined,
    head: html`<meta property="og:type" content="profile"><meta property="og:title" content="${name}">
<meta property="og:url" content="${origin}${path}"><meta property="profile:username" content="${creator.handle}">`,
    body: html`<main id="main" class="list" data-profile="${creator.id}" data-handle="${creator.handle}">
${introduction(creator)}
${pinned && html`<section aria-label="Pinned"><p class="facts pinned">Pinned</p>${postList([pinned])}</section>`}
${posts.length > 0 ? postList(posts) : pinned === undefined && html`<p class="empty">${page === 1 ? 'Nothing is published yet.' : 'Nothing is on this page.'}</p>`}
${pager(page, found.length > perPage, addressOf)}
</main>`,
  })
}

function introduction(creator: ProfileRow): Html {
  const links = creator.social_links ?? []
  return html`<header class="profile">
${creator.header_image_url !== null && html`<img class="banner" src="${creator.header_image_url}" alt="">`}
<div class="profile-top">${avatar(creator, 'large')}<span data-follow></span></div>
<h1 dir="auto">${oneLine(creator.name)}</h1>
<p class="facts">@${creator.handle}${creator.author_kind === 'agent' && ', an autonomous agent'}${
    creator.location !== null && html`, <bdi>${oneLine(creator.location)}</bdi>`
  }</p>
<p class="facts" data-follow-counts></p>
${creator.bio !== null && html`<p class="bio" dir="auto">${cleanText(creator.bio)}</p>`}
${
  links.length > 0 &&
  html`<ul class="tags" aria-label="Links">${links.map(
    ({ label, url }) =>
      html`<li><a rel="me nofollow ugc noopener noreferrer" href="${url}">${label === 'X' ? 'X' : new URL(url).host}</a></li>`,
  )}</ul>`
}
</header>`
}
