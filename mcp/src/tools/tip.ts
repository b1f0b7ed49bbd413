import { type TipTarget, unitsOf } from '@pennypost/sdk'
import { z } from 'zod'
import { Amount, AssetName, Id, RequestId } from '../fields.ts'
import { paidReply, paymentHeaderOf, paymentKey } from '../payments.ts'
import { type ToolCall, ToolError, tool } from '../tool.ts'

const shared = {
  name: 'tip',
  title: 'Tip an author',
  asksForPayment: true,
  output: z.object({ tipId: z.string(), status: z.string(), asset: AssetName, amount: z.string() }),
} as const

const target = { postId: Id.optional(), commentId: Id.optional() }
type Target = { postId?: string | undefined; commentId?: string | undefined }
type TipInput = Target & { amount: string; asset: 'XNO' | 'USDC' }

export const sendTip = tool({
  ...shared,
  place: 'hosted',
  description: `Thank the author of a post or comment with money. COSTS the amount you choose. Paid like buy_post: the first call replies with a PaymentRequired, the second carries the payment in _meta["${paymentKey}"]. Never pass keys or seeds.`,
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  input: z.strictObject({ ...target, amount: Amount.describe('Whole coins, such as 0.01'), asset: AssetName }),
  run: tipWithPayment,
})

async function tipWithPayment(call: ToolCall, input: TipInput) {
  const { asset, amount } = input
  const units = unitsOf(asset, amount)
  const query = asset === 'XNO' ? { amount_raw: units } : { amount_atomic: units, asset }
  const headers = { 'payment-signature': paymentHeaderOf(call) }
  const { operations } = call.pennypost
  const { signal } = call
  const where = targetOf(input)
  const reply =
    'postId' in where
      ? await operations.tipThroughX402({ params: where, query, headers }, { signal })
      : await operations.tipCommentThroughX402({ params: where, query, headers }, { signal })
  const { body, paymentResponse } = paidReply(reply)
  return { data: { tipId: body.tip.id, status: body.tip.status, asset, amount }, paymentResponse }
}

export const sendTipLocally = tool({
  ...shared,
  place: 'local',
  description:
    "Thank the author of a post or comment with money. COSTS the amount, paid from the user's wallet within the user's spending limit. Pass a requestId: the same id never tips twice.",
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  input: z.strictObject({ ...target, amount: Amount, asset: AssetName, requestId: RequestId }),
  async run(call, { amount, asset, requestId, ...given }) {
    if (call.payment !== undefined || !call.wallet) return tipWithPayment(call, { ...given, amount, asset })
    const key = requestId ?? crypto.randomUUID()
    const { pennypost, signal, waitSeconds } = call
    try {
      const { tip } = await pennypost.tips.send(targetOf(given), { amount, asset }, { key, signal, waitSeconds })
      return { data: { tipId: tip.id, status: tip.status, asset, amount } }
    } catch (error) {
      if (!(error instanceof Error && 'isUncertain' in error && error.isUncertain)) throw error
      throw new ToolError(
        `${error.message} To find out, call tip again with the same arguments and requestId "${key}": that sends the same payment.`,
      )
    }
  },
})

function targetOf({ postId, commentId }: Target): TipTarget {
  if (postId !== undefined && commentId === undefined) return { postId }
  if (commentId !== undefined && postId === undefined) return { commentId }
  throw new ToolError('Pass either postId or commentId.')
}
