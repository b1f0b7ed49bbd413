import { type listRelatedPosts as declared, publicPostNotFound } from '@pennypost/contract/discovery'
import { Written } from '@pennypost/contract/endpoint'
import { refuse } from '../platform/http/refuse.ts'
import { wordTerms } from '../posts/catalog/search-terms.ts'
import { findPublicPost, listRelated } from './public-post-store.ts'
import { readWholeWords } from './read-query.ts'
import type { Handler } from './services.ts'

export const listRelatedPosts: Handler<typeof declared> = async (services, { params, query, origin }) => {
  const { pool, discovery } = services
  const post = (await findPublicPost(pool, params.postId)) ?? refuse(publicPostNotFound)
  const titleWords = await readWholeWords(services, await discovery.version(), post.title)
  const listed = await listRelated(pool, {
    postId: post.id,
    category: post.category!,
    language: post.language!,
    titleTerms: titleWords.flatMap(({ keys }) => wordTerms('described', keys)),
    limit: query.limit,
  })
  const data = await services.discovery.summaries.write(listed, origin)
  return { status: 200, body: new Written(`{"data":[${data}]}`) }
}
