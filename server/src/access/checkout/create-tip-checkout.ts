import type { createTipCheckout as declared } from '@pennypost/contract/checkout'
import { commentNotFound } from '@pennypost/contract/comments'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import { quoteTip, tipIntent } from '../../payments/orders/tip.ts'
import { findTippableComment, findTippablePost } from '../../payments/orders/tippable-store.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { startNanoCheckout } from './start-checkout.ts'

/** A tip with Nano that needs no account: its payer follows it with the credential of a checkout. */
export const createTipCheckout: Handler<typeof declared> = async (services, call) => {
  const { postId, commentId = null, ...input } = call.body
  const target = commentId === null ? { postId } : { commentId }
  return startNanoCheckout(services, call, 'checkout-tip', tipIntent(target, input), async (tx, accountId) => {
    const tipped =
      commentId === null
        ? ((await findTippablePost(tx, postId!)) ?? refuse(publicPostNotFound))
        : ((await findTippableComment(tx, commentId)) ?? refuse(commentNotFound))
    return quoteTip(services, tx, accountId, tipped, { ...input, commentId })
  })
}
