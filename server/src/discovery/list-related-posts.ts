import { type listRelatedPosts as declared, publicPostNotFound } from '@pennypost/contract/discovery'
import { refuse } from '../platform/http/refuse.ts'
import { wordsOf, wordTerms } from '../posts/catalog/terms.ts'
import type { Handler } from '../services.ts'
import { readCards } from './card-store.ts'
import { postSummary } from './post-summary.ts'
import { findPublicPost, listRelatedIds } from './public-post-store.ts'

export const listRelatedPosts: Handler<typeof declared> = async (services, { params, query, origin }) => {
  const { pool } = services
  const post = (await findPublicPost(pool, params.postId)) ?? refuse(publicPostNotFound)
  const ids = await listRelatedIds(pool, {
    postId: post.id,
    category: post.category!,
    language: post.language!,
    titleTerms: wordTerms('described', wordsOf(post.title)),
    limit: query.limit,
  })
  const related = await readCards(pool, ids)
  return { status: 200, body: { data: related.map((each) => postSummary(services, each, origin)) } }
}
