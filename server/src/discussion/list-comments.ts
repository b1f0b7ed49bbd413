import {
  type listComments as declared,
  type listPublicComments as declaredPublic,
  maxUnpagedComments,
} from '@pennypost/contract/comments'
import { readCommentPage } from './read-comment-page.ts'
import type { Handler } from './services.ts'

const defaultLimit = 50

export const listComments: Handler<typeof declared> = async (services, { caller, params, query, origin }) => ({
  status: 200,
  body: await readCommentPage(services, caller.accountId, { ...params, ...query, origin }),
})

export const listPublicComments: Handler<typeof declaredPublic> = async (services, { params, query, origin }) => {
  const { limit = defaultLimit, threadRootId, sort = 'oldest', cursor } = query
  const isPaged = Object.values(query).some((value) => value !== undefined)
  if (isPaged)
    return {
      status: 200,
      body: await readCommentPage(services, null, { ...params, limit, threadRootId, sort, cursor, origin }),
    }
  const { comments, pagination } = await readCommentPage(services, null, {
    ...params,
    limit: maxUnpagedComments,
    sort,
    origin,
  })
  const next = pagination.nextCursor && `${origin}/api/posts/${params.postId}/comments?cursor=${pagination.nextCursor}`
  return { status: 200, body: comments, ...(next && { headers: { link: `<${next}>; rel="next"` } }) }
}
