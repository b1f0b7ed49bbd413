import type { listPaidPosts as declared } from '@pennypost/contract/discovery'
import { invalidRequest } from '@pennypost/contract/errors'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { readCards } from './card-store.ts'
import { readCursor, writeCursor } from './paid-catalog-cursor.ts'
import { postSummary } from './post-summary.ts'
import { listPaidPostIds } from './public-post-store.ts'

export const listPaidPosts: Handler<typeof declared> = async (services, { query, origin }) => {
  const { pool, secrets } = services
  const place =
    query.cursor === undefined
      ? undefined
      : (readCursor(secrets, query.cursor) ?? refuseField('cursor', 'is not one of ours'))
  const asked = query.published_after === undefined ? undefined : new Date(query.published_after)
  if (place && asked && asked.getTime() !== place.publishedAfter?.getTime())
    refuseField('published_after', 'is not that of the first page')
  const publishedAfter = place ? place.publishedAfter : asked
  // One more than asked for tells whether there is a next page.
  const entries = await listPaidPostIds(pool, { publishedAfter, place, limit: query.limit + 1 })
  const page = entries.slice(0, query.limit)
  const last = page.at(-1)
  const posts = await readCards(
    pool,
    page.map(({ post_id }) => post_id),
  )
  return {
    status: 200,
    body: {
      data: posts.map((post) => postSummary(services, post, origin)),
      nextCursor:
        last && entries.length > page.length
          ? writeCursor(secrets, { publishedAt: last.published_at, postId: last.post_id, publishedAfter })
          : null,
    },
  }
}

const refuseField = (field: string, message: string): never =>
  refuse(invalidRequest, { errors: [{ field, code: 'invalid', message }] })
