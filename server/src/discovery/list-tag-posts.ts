import { type listTagPosts as declared, tagNotFound } from '@pennypost/contract/discovery'
import { invalidRequest } from '@pennypost/contract/errors'
import { refuse } from '../platform/http/refuse.ts'
import { tagView } from '../posts/post-view.ts'
import { readPosts } from './card-store.ts'
import { authorView, postSummary } from './post-summary.ts'
import { findCollection, listCollectionPosts } from './public-post-store.ts'
import type { Handler } from './services.ts'

/** The largest offset that a client may request. */
const deepestOffset = 47_952

export const listTagPosts: Handler<typeof declared> = async (services, { params, query, origin }) => {
  const { page, per_page: perPage } = query
  const offset = (page - 1) * perPage
  if (offset > deepestOffset) {
    refuse(invalidRequest, { errors: [{ field: 'page', code: 'too_big', message: 'is too deep' }] })
  }
  const tag = await findCollection(services.pool, params.tagId)
  // A tag without a published post is not public.
  if (!tag || tag.total === 0) return refuse(tagNotFound)
  const listed = await listCollectionPosts(services.pool, tag.id, perPage, offset)
  const posts = await readPosts(services.pool, listed)
  return {
    status: 200,
    body: {
      tag: { ...tagView(origin, { id: tag.account_id, handle: tag.handle }, tag), slug: tag.slug },
      creator: authorView(tag, tag.creator_name, origin),
      items: posts.map((post) => postSummary(services, post, origin)),
      page,
      perPage,
      total: tag.total,
    },
  }
}
