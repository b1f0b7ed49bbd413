import type { listPaidPosts as declared, PaidPostPage } from '@pennypost/contract/discovery'
import { Written } from '@pennypost/contract/endpoint'
import { invalidRequest } from '@pennypost/contract/errors'
import { refuse } from '../platform/http/refuse.ts'
import { cachedPage } from './cached-page.ts'
import { readCursor, writeCursor } from './paid-catalog-cursor.ts'
import { listPaidEntries } from './public-post-store.ts'
import type { Handler } from './services.ts'

export const listPaidPosts: Handler<typeof declared> = async (services, { query, origin }) => {
  const { pool, secrets, discovery } = services
  const place =
    query.cursor === undefined
      ? undefined
      : (readCursor(secrets, query.cursor) ?? refuseField('cursor', 'is not one of ours'))
  const asked = query.published_after === undefined ? undefined : new Date(query.published_after)
  if (place && asked && asked.getTime() !== place.publishedAfter?.getTime())
    refuseField('published_after', 'is not that of the first page')
  const publishedAfter = place ? place.publishedAfter : asked
  const body = await cachedPage(services, { sort: 'newest', parts: ['paid', origin, query] }, async () => {
    // One more than requested tells whether there is a next page.
    const entries = await listPaidEntries(pool, { publishedAfter, place, limit: query.limit + 1 })
    const page = entries.slice(0, query.limit)
    const last = page.at(-1)
    const data = await discovery.summaries.write(page, origin)
    const nextCursor =
      last && entries.length > page.length
        ? writeCursor(secrets, { publishedAt: last.published_at, postId: last.post_id, publishedAfter })
        : null
    return new Written<PaidPostPage>(`{"data":[${data}],"nextCursor":${JSON.stringify(nextCursor)}}`)
  })
  return { status: 200, body }
}

const refuseField = (field: string, message: string): never =>
  refuse(invalidRequest, { errors: [{ field, code: 'invalid', message }] })
