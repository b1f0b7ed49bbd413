import { postPageNotFound } from '@pennypost/contract/public-pages'
import type { getLinkCard as declared } from '@pennypost/contract/site-files'
import { findPublicPost } from '../discovery/public-post-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import { publicImageHeaders } from '../uploads/public-media.ts'
import { readDrawing } from '../uploads/read-drawing.ts'
import { linkCardDrawing, linkCardOf } from './link-card.ts'
import type { Handler } from './services.ts'

/**
 * Serves the card of a link to a post. Only the current card of a public post is drawn, and it is stored, so requests
 * cannot make us draw repeatedly. An older URL redirects: a link that was shared earlier still shows the right text.
 */
export const getLinkCard: Handler<typeof declared> = async (services, { params }) => {
  const postId = params.file.slice(0, 36)
  const post = (await findPublicPost(services.pool, postId)) ?? refuse(postPageNotFound)
  const card = linkCardOf(post, services.site.settings())
  if (card.path !== `/cards/${params.file}`)
    return { status: 302, headers: { location: card.path, 'cache-control': 'no-store' } }
  return {
    status: 200,
    headers: { ...publicImageHeaders, etag: `"${card.version}"`, 'content-type': card.mediaType },
    body: () => readDrawing(services, linkCardDrawing(services, postId, card)),
  }
}
