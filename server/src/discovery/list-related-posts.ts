import { type listRelatedPosts as declared, publicPostNotFound } from '@pennypost/contract/discovery'
import { Written } from '@pennypost/contract/endpoint'
import { refuse } from '../platform/http/refuse.ts'
import { queryWords, wordsToStem, wordTerms } from '../posts/catalog/search-terms.ts'
import { stemmerOf, stemWords } from '../posts/catalog/stemming.ts'
import { findPublicPost, listRelated } from './public-post-store.ts'
import { findSeries, listChosen } from './series-store.ts'
import type { Handler } from './services.ts'

export const listRelatedPosts: Handler<typeof declared> = async (services, { params, query, origin }) => {
  const { db, pool } = services
  const post = (await findPublicPost(pool, params.postId)) ?? refuse(publicPostNotFound)
  // In the language of the post alone: most related posts are in the same, and each language costs as much as the first.
  const stemmer = stemmerOf(post.language)
  const stems = stemmer === undefined ? [] : await stemWords(db, [stemmer], wordsToStem(post.title))
  const series = await findSeries(pool, post.id, origin)
  // The page has links to them already.
  const neighbours = [series?.previous, series?.next].flatMap((neighbour) => neighbour?.id ?? [])
  const limit = query.limit + neighbours.length
  const chosen = await listChosen(pool, post.id, limit)
  const similar = await listRelated(pool, {
    postId: post.id,
    category: post.category!,
    language: post.language!,
    titleTerms: queryWords(post.title, stems).flatMap(({ keys }) => wordTerms('described', keys)),
    limit,
  })
  const known = new Set(chosen.map(({ post_id }) => post_id))
  const listed = [...chosen, ...similar.filter(({ post_id }) => !known.has(post_id))]
    .filter(({ post_id }) => !neighbours.includes(post_id))
    .slice(0, query.limit)
  const data = await services.discovery.summaries.write(listed, origin)
  return { status: 200, body: new Written(`{"data":[${data}],"series":${JSON.stringify(series)}}`) }
}
