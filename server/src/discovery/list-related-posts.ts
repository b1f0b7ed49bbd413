import { type listRelatedPosts as declared, publicPostNotFound } from '@pennypost/contract/discovery'
import { Written } from '@pennypost/contract/endpoint'
import { readRows, type Statement } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { listSimilar } from './related-store.ts'
import { findSeries, listChosen } from './series-store.ts'
import type { Handler } from './services.ts'

/** Most posts that a client can ask for, and the neighbours in a series, which are left out. */
const maxSimilar = 12 + 2

export const listRelatedPosts: Handler<typeof declared> = async (services, { params, query, origin }) => {
  const { db, pool, discovery } = services
  const { postId } = params
  const [[post], version] = await Promise.all([readRows(pool, publishedPost, [postId]), discovery.version()])
  if (!post) return refuse(publicPostNotFound)
  const series = post.is_in_series ? await findSeries(pool, postId, origin) : null
  // The page has links to them already.
  const neighbours = [series?.previous, series?.next].flatMap((neighbour) => neighbour?.id ?? [])
  const chosen = post.has_chosen ? await listChosen(pool, postId, query.limit + neighbours.length) : []
  const similar = await discovery.similarCache.get(version.order, postId, () =>
    listSimilar({ db, pool }, postId, maxSimilar),
  )
  const known = new Set([...chosen.map(({ post_id }) => post_id), ...neighbours])
  const listed = [
    ...chosen.filter(({ post_id }) => !neighbours.includes(post_id)),
    ...similar.filter(({ post_id }) => !known.has(post_id)),
  ].slice(0, query.limit)
  const data = await discovery.summaries.write(listed, origin)
  return { status: 200, body: new Written(`{"data":[${data}],"series":${JSON.stringify(series)}}`) }
}

const publishedPost: Statement<{ is_in_series: boolean; has_chosen: boolean }> = {
  name: 'published-post',
  text: `SELECT EXISTS (SELECT FROM series_posts WHERE post_id = $1) AS is_in_series,
      EXISTS (SELECT FROM chosen_posts WHERE post_id = $1) AS has_chosen
    FROM posts WHERE id = $1 AND status = 'published'`,
}
