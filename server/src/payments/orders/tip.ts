import { commentNotFound } from '@pennypost/contract/comments'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import { validation } from '@pennypost/contract/errors'
import { paymentIdempotency } from '@pennypost/contract/idempotency'
import { type Amount, amountOf, parseAmount, splitSale } from '@pennypost/contract/money'
import {
  type tipComment as declaredForComment,
  type tipCommentOfPost as declaredForCommentOfPost,
  type tipPost as declaredForPost,
  ownContent,
  type TipInput,
  tippingUnavailable,
} from '@pennypost/contract/tips'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { withIdempotencyKey } from '../../platform/idempotency.ts'
import { withNextAddress } from '../../rails/nano/custody/addresses.ts'
import { requireNano } from '../../rails/nano/require-nano.ts'
import { journalOrder } from '../recovery/journal-record.ts'
import type { Handler, PaymentServices } from '../services.ts'
import { openOrder, requireRoomForQuote } from './order-lifecycle.job.ts'
import { findOwnOrder, tipSessionView, viewContextOf } from './order-view.ts'
import { findTippableComment, findTippablePost, type Tippable } from './tippable-store.ts'

export const tipPost: Handler<typeof declaredForPost> = (services, call) =>
  tip(services, call, null, { postId: call.params.postId }, async (tx) => {
    return (await findTippablePost(tx, call.params.postId)) ?? refuse(publicPostNotFound)
  })

export const tipComment: Handler<typeof declaredForComment> = (services, call) =>
  tip(services, call, call.params.commentId, { commentId: call.params.commentId }, async (tx) => {
    return (await findTippableComment(tx, call.params.commentId)) ?? refuse(commentNotFound)
  })

/** The same operation, under the comment's post. */
export const tipCommentOfPost: Handler<typeof declaredForCommentOfPost> = (services, call) =>
  tip(services, call, call.params.commentId, { commentId: call.params.commentId }, async (tx) => {
    const found = await findTippableComment(tx, call.params.commentId)
    return found?.post_id === call.params.postId ? found : refuse(commentNotFound)
  })

interface TipCall {
  readonly caller: { readonly accountId: string }
  readonly body: TipInput
  readonly idempotencyKey: string
  readonly origin: string
}

async function tip(
  services: PaymentServices,
  { caller, body, idempotencyKey, origin }: TipCall,
  commentId: string | null,
  target: object,
  find: (tx: Tx) => Promise<Tippable>,
) {
  const { db, pool, clock } = services
  const payerId = caller.accountId
  const request = {
    scope: `tip:${payerId}`,
    key: idempotencyKey,
    intent: tipIntent(target, body),
    now: clock.now(),
    flavour: paymentIdempotency,
  }
  const { body: made, replayed } = await withNextAddress(services, () =>
    withIdempotencyKey(db, request, async (tx) => ({
      status: 201,
      body: { id: await quoteTip(services, tx, payerId, await find(tx), { commentId, ...body }) },
    })),
  )
  await journalOrder(services, made.id)
  const opened = tipSessionView(
    (await findOwnOrder(pool, { id: made.id, payerId, kind: 'tip' }))!,
    viewContextOf(services),
  )
  const status = replayed ? (200 as const) : (201 as const)
  return { status, body: { session: opened, statusUrl: `${origin}/api/v1/tips/${opened.id}`, replayed } }
}

/** The intent of a tip, which is the same for a retry. */
export const tipIntent = (target: object, { amountRaw, amount, message }: TipInput): object => ({
  ...target,
  amount: amountRaw ?? `${amount} as one of the author's`,
  message: message || null,
})

/** Opens an order for a tip. Without a payer it is a guest's. Returns its id. */
export async function quoteTip(
  services: PaymentServices,
  tx: Tx,
  payerId: string | null,
  tipped: Tippable,
  input: TipInput & { readonly commentId: string | null },
): Promise<string> {
  if (tipped.author_id === payerId) refuse(ownContent)
  const recipient = tipped.nano_address ?? refuse(tippingUnavailable)
  requireNano(services)
  const amount = tipAmount(input, tipped)
  await requireRoomForQuote(services, tx, payerId)
  return openOrder(services, tx, {
    kind: 'tip',
    payerId,
    payeeId: tipped.author_id,
    postId: tipped.post_id,
    commentId: input.commentId,
    message: input.message || null,
    sale: splitSale(amount, 0n),
    recipient,
  })
}

const defaultAmounts = [0.25, 0.5, 1]

/** `amountRaw` is any amount; `amount` is one of those that the author offers. */
function tipAmount({ amountRaw, amount }: TipInput, { tip_amounts }: Tippable): Amount<'XNO'> {
  if (amountRaw !== undefined) return amountOf('XNO', amountRaw)
  const offered = (tip_amounts ?? defaultAmounts).map((xno) => parseAmount('XNO', String(xno)))
  if (amount !== undefined && offered.includes(amount)) return amount
  const error = { field: 'amount', code: 'not_offered', message: "must be one of the author's amounts" }
  return refuse(validation, { errors: [error] })
}
