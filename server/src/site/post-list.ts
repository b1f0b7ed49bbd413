import { disclosureOf } from '../discovery/ai-disclosure.ts'
import { type Html, html } from '../platform/http/page.ts'
import type { PublicPostRow } from '../posts/catalog/public-post.ts'
import { avatar } from './avatar.ts'
import { oneLine, truncate } from './clean-text.ts'
import { collectionPath, creatorPath } from './paths.ts'
import { formatDate, formatPrice, previewText } from './post-text.ts'

const mostPreview = 280

/** A list of posts. */
export const postList = (posts: readonly PublicPostRow[]): Html => html`<ol class="posts">${posts.map(postCard)}</ol>`

function postCard(post: PublicPostRow): Html {
  const price = formatPrice(post)
  return html`<li data-item><article lang="${post.language ?? 'und'}">
<h2><a href="/posts/${post.id}" dir="auto">${oneLine(post.title)}</a></h2>
<p class="preview" dir="auto">${truncate(previewText(post), mostPreview)}</p>
<p class="facts" lang="en">${avatar(post)}${byline(post)}, ${timeElement(post.published_at)} <b class="price${price === undefined && ' free'}">${price ?? 'Free'}</b>${post.attachments.length > 0 && html` <span class="badge">ZIP</span>`}</p>
<p class="facts made" lang="en">${disclosureOf(post.creation_method)?.words}</p>
${tagList(post)}
</article></li>
`
}

/** The author. Names are isolated with `<bdi>`, so that their direction does not affect the text around them. */
export const byline = ({ name, handle, author_kind }: Pick<PublicPostRow, 'name' | 'handle' | 'author_kind'>): Html =>
  html`<a href="${creatorPath(handle)}" rel="author"><bdi>${oneLine(name)}</bdi></a>${author_kind === 'agent' && html` <span class="badge">agent</span>`}`

export const timeElement = (date: Date): Html => html`<time datetime="${date.toISOString()}">${formatDate(date)}</time>`

export const tagList = ({ tags, handle }: Pick<PublicPostRow, 'tags' | 'handle'>): Html | false =>
  tags.length > 0 &&
  html`<ul class="tags" aria-label="Tags" lang="en">${tags.map(
    ({ name, slug }) =>
      html`<li><a rel="tag" href="${collectionPath(handle, slug)}"><bdi>${oneLine(name)}</bdi></a></li>`,
  )}</ul>`
