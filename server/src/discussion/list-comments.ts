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
  const { limit = defaultLimit, threadRootId, cursor } = query
  const isPaged = query.limit !== undefined || threadRootId !== undefined || cursor !== undefined
  if (isPaged)
    return {
      status: 200,
      body: await readCommentPage(services, null, { ...params, limit, threadRootId, cursor, origin }),
    }
  const { comments, pagination } = await readCommentPage(services, null, {
    ...params,
    limit: maxUnpagedComments,
    origin,
  })
  const next = pagination.nextCursor && `${origin}/api/posts/${params.postId}/comments?cursor=${pagination.nextCursor}`
  return { status: 200, body: comments, ...(next && { headers: { link: `<${next}>; rel="next"` } }) }
}
