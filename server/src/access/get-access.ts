import type { getAccess as declared } from '@pennypost/contract/access'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { accessView } from './access-view.ts'
import { countUse } from './gift-link-store.ts'
import { mayRead } from './may-read.ts'
import { findContent } from './reading-store.ts'
import { postPaymentRequired } from './x402/payment-required.ts'

export const getAccess: Handler<typeof declared> = async (services, { caller, params, query, origin }) => {
  const accountId = caller.kind === 'owner-session' ? caller.accountId : undefined
  const { post, grant } =
    (await mayRead(services, params.postId, { accountId, giftToken: query.gift })) ?? refuse(publicPostNotFound)
  if (!grant) return postPaymentRequired(services, post, origin)
  const content = (await findContent(services.pool, post.id)) ?? refuse(publicPostNotFound)
  if (grant.giftId !== undefined) await countUse(services.db, grant.giftId)
  return { status: 200, body: accessView(post.id, content, grant, origin) }
}
