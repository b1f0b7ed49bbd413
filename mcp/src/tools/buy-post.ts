import { z } from 'zod'
import { AssetName, Id, Money } from '../fields.ts'
import { maxPriceOf, paidReply, paymentHeaderOf, paymentKey } from '../payments.ts'
import { From, findPost, PostText, postText } from '../post-text.ts'
import { type ToolCall, tool } from '../tool.ts'

const PaidPost = PostText.extend({
  paid: z
    .object({ asset: z.string(), amount: z.string(), transaction: z.string(), receiptVerified: z.boolean() })
    .nullable(),
})

const shared = {
  name: 'buy_post',
  title: 'Buy a post',
  asksForPayment: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  output: PaidPost,
} as const

/** Buys a post on the hosted server: we ask for the payment, and the client signs it. */
export const buyPost = tool({
  ...shared,
  place: 'hosted',
  description: `Get all of a paid post. COSTS the price of the post. Without payment the reply is an x402 PaymentRequired; sign one of its "accepts" with your own wallet and call again with the payment in _meta["${paymentKey}"]. The same payment never charges twice and opens the post again. Never pass keys or seeds.`,
  input: z.strictObject({ postId: Id, asset: AssetName.optional().describe('Offer only this.'), from: From }),
  async run(call, { postId, asset, from }) {
    // Before anything is paid: afterwards the only thing left to do is to hand over the text.
    const post = await findPost(call, postId)
    const { body: access, paymentResponse } = await accessWith(call, postId, asset)
    const reply = postText(postId, { post, access, from })
    return { ...reply, data: { ...reply.data, paid: null }, paymentResponse }
  },
})

async function accessWith(call: ToolCall, postId: string, asset: 'XNO' | 'USDC' | undefined) {
  const input = {
    params: { postId },
    ...(asset && { query: { asset } }),
    headers: { 'payment-signature': paymentHeaderOf(call) },
  }
  return paidReply(await call.pennypost.operations.getAccess(input, { signal: call.signal }))
}

/** Buys a post on the user's machine, with the user's wallet and within the limits that the user set. */
export const buyPostLocally = tool({
  ...shared,
  place: 'local',
  description:
    "Get all of a paid post. COSTS the price of the post, paid from the user's wallet within the user's spending limit. Never pays twice: call it again after an error. Ask the user before you buy.",
  input: z.strictObject({
    postId: Id,
    asset: AssetName.optional(),
    maxPrice: Money.optional().describe('Pay at most this.'),
    from: From,
  }),
  async run(call, { postId, asset, maxPrice, from }) {
    const { pennypost, signal, waitSeconds } = call
    const options = { asset: maxPrice?.asset ?? asset, maxPrice: maxPriceOf(maxPrice), signal, waitSeconds }
    const found = await findPost(call, postId)
    // Without a wallet the client of the agent may still pay for it.
    if (call.payment !== undefined || !call.wallet) {
      const { body: access, paymentResponse } = await accessWith(call, postId, options.asset)
      const reply = postText(postId, { post: found, access, from })
      return { ...reply, data: { ...reply.data, paid: null }, paymentResponse }
    }
    const { post: access, payment } = await pennypost.posts.buy(postId, options)
    const reply = postText(postId, { post: found, access, from })
    const paid = payment && {
      asset: payment.asset,
      amount: payment.amount,
      transaction: payment.transaction,
      receiptVerified: payment.receipt?.isVerified ?? false,
    }
    return { ...reply, data: { ...reply.data, paid: paid ?? null } }
  },
})
