import { commentNotFound } from '@pennypost/contract/comments'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import type { Refusal } from '@pennypost/contract/refusal'
import { ownContent, tippingUnavailable } from '@pennypost/contract/tips'
import type {
  tipCommentThroughX402 as declaredForComment,
  tipThroughX402 as declaredForPost,
  TipQuery,
} from '@pennypost/contract/x402-tips'
import { findOrder } from '../payments/orders/order-store.ts'
import {
  findPostOfComment,
  findTippableComment,
  findTippablePost,
  type Tippable,
} from '../payments/orders/tippable-store.ts'
import type { PaymentRow } from '../payments/x402/payment-store.ts'
import { recognizePayment, takePayment } from '../payments/x402/take-payment.ts'
import { makeOffer, readPaymentSignature } from '../payments/x402/x402-offer.ts'
import { refuse } from '../platform/http/refuse.ts'
import { railsOn } from '../posts/post-view.ts'
import { requireNano } from '../rails/nano/require-nano.ts'
import type { AccessServices, Handler } from './services.ts'
import {
  identifierExtension,
  paymentPendingReply,
  paymentRequiredReply,
  resourceOf,
  settledResponse,
  withSignedOffers,
} from './x402/x402-replies.ts'

export const tipThroughX402: Handler<typeof declaredForPost> = (services, call) => {
  const { postId } = call.params
  return tip(services, call, {
    postId,
    path: `/api/posts/${postId}/tip`,
    find: () => findTippablePost(services.db, postId),
    notFound: publicPostNotFound,
  })
}

export const tipCommentThroughX402: Handler<typeof declaredForComment> = async (services, call) => {
  const { commentId } = call.params
  return tip(services, call, {
    postId: (await findPostOfComment(services.db, commentId)) ?? refuse(commentNotFound),
    commentId,
    path: `/api/comments/${commentId}/tip`,
    find: () => findTippableComment(services.db, commentId),
    notFound: commentNotFound,
  })
}

/** The target of a tip: a post, or a comment under it. */
interface Tipped {
  readonly postId: string
  readonly commentId?: string
  readonly path: string
  find(): Promise<Tippable | undefined>
  readonly notFound: Refusal
}

type TipCall = Pick<Parameters<typeof tipThroughX402>[1], 'caller' | 'query' | 'headers' | 'origin' | 'ip'>

/** Offers a tip, or takes it, without an account. It is offered and paid like a post, but buys nothing. */
async function tip(services: AccessServices, call: TipCall, { postId, commentId, path, find, notFound }: Tipped) {
  const { caller, query, headers, origin, ip } = call
  const { secrets, clock } = services
  const accountId = caller.kind === 'owner-session' ? caller.accountId : undefined
  const signature = readPaymentSignature(headers['payment-signature'])
  const asks = askedAmount(query)
  const { asset, amount } = asks
  const subject = { purpose: 'tip', postId, commentId } as const
  const presented = signature && (await recognizePayment(services, { ...subject, asks }, signature, ip))
  const url = `${origin}${path}?${asset === 'XNO' ? `amount_raw=${amount}` : `amount_atomic=${amount}&asset=USDC`}`
  const resource = resourceOf(url, 'A tip for the author')
  const known = presented?.known
  if (known?.kind === 'settled') return sent(services, known.payment, url)
  const tippable = await find()
  const isOwn = tippable?.author_id === accountId
  const recipients = { XNO: tippable?.nano_address ?? null, USDC: tippable?.base_address ?? null }
  const isOffered = recipients[asset] !== null && railsOn(services)[asset]
  // Without an address nothing new is sent. What was sent before is the author's, and waits for an address.
  const isPossible = isOffered || known !== undefined
  const wanted = !tippable || isOwn ? 'nothing' : isPossible ? 'purchase' : 'what was sent'
  const outcome =
    presented && (await takePayment(services, presented, wanted, { ip, accountId, payeeId: tippable?.author_id }))
  if (tippable && isOwn) return refuse(ownContent)
  if (outcome?.kind === 'pending') return paymentPendingReply(resource, outcome.payment)
  if (!tippable) return refuse(notFound)
  if (outcome?.kind === 'settled') return sent(services, outcome.payment, url)
  if (asset === 'XNO' && recipients.XNO !== null) requireNano(services)
  if (!isOffered) return refuse(tippingUnavailable)
  const accepts = [await makeOffer(services, { ...subject, recipients }, asset, amount)]
  const tried = outcome?.kind === 'refused' ? outcome : undefined
  const unmatched = signature && !presented ? 'no_matching_payment_requirements' : undefined
  const error = tried?.reason ?? unmatched ?? 'Payment required'
  // A tip can be given again. Clients that name their payments cannot give one twice by mistake.
  const extensions = identifierExtension
  const required = { x402Version: 2 as const, error, resource, accepts, offers: [], extensions }
  return paymentRequiredReply(withSignedOffers({ secrets, issuedAt: clock.now() }, required), tried?.payment)
}

/** The query holds exactly one of the amounts. */
const askedAmount = ({ amount_raw, amount_atomic }: TipQuery) =>
  amount_raw === undefined
    ? ({ asset: 'USDC', amount: amount_atomic! } as const)
    : ({ asset: 'XNO', amount: amount_raw } as const)

async function sent(services: AccessServices, payment: PaymentRow, url: string) {
  const { id, state, asset, amount_raw: amount, created_at } = (await findOrder(services.db, payment.order_id!))!
  const tip = {
    id,
    post_id: payment.post_id,
    comment_id: payment.comment_id,
    status: state === 'paid' ? ('paid' as const) : ('received' as const),
    asset,
    amount_raw: asset === 'XNO' ? amount : null,
    amount_atomic: asset === 'USDC' ? amount : null,
    created_at: created_at.toISOString(),
  }
  return { status: 200 as const, headers: settledResponse(services, payment, url), body: { tip } }
}
