import { commentNotFound as absent } from '@pennypost/contract/comments'
import type {
  getCommentReactions as declared,
  getPublicCommentReactions as declaredPublic,
} from '@pennypost/contract/reactions'
import { commentTarget } from './reaction-store.ts'
import { readReactions } from './read-reactions.ts'
import type { Handler } from './services.ts'

export const getCommentReactions: Handler<typeof declared> = async ({ pool }, { caller, params, query, origin }) => ({
  status: 200,
  body: await readReactions(pool, commentTarget, {
    viewer: caller.accountId,
    id: params.commentId,
    query,
    absent,
    origin,
  }),
})

export const getPublicCommentReactions: Handler<typeof declaredPublic> = async (
  { pool },
  { params, query, origin },
) => ({
  status: 200,
  body: await readReactions(pool, commentTarget, { viewer: null, id: params.commentId, query, absent, origin }),
})
