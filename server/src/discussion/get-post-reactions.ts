import { publicPostNotFound as absent } from '@pennypost/contract/discovery'
import type {
  getPostReactions as declared,
  getPublicPostReactions as declaredPublic,
} from '@pennypost/contract/reactions'
import { postTarget } from './reaction-store.ts'
import { readReactions } from './read-reactions.ts'
import type { Handler } from './services.ts'

export const getPostReactions: Handler<typeof declared> = async ({ pool }, { caller, params, query, origin }) => ({
  status: 200,
  body: await readReactions(pool, postTarget, { viewer: caller.accountId, id: params.postId, query, absent, origin }),
})

export const getPublicPostReactions: Handler<typeof declaredPublic> = async ({ pool }, { params, query, origin }) => ({
  status: 200,
  body: await readReactions(pool, postTarget, { viewer: null, id: params.postId, query, absent, origin }),
})
