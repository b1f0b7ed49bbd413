import { z } from 'zod'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { ownContent, TipAmountRaw, tippingUnavailable } from './purchases.ts'
import { DateTime, Uuid } from './schemas.ts'
import {
  PaymentRequired,
  paymentHeaders,
  paymentIdentifierConflict,
  paymentMalformed,
  paymentProofs,
  paymentReplyHeaders,
} from './x402.ts'

const SentTip = z
  .object({
    id: Uuid,
    post_id: Uuid,
    status: z.enum(['received', 'paid']),
    amount_raw: z.string(),
    created_at: DateTime,
  })
  .meta({ id: 'SentTip' })

export const tipThroughX402 = endpoint({
  method: 'GET',
  path: '/api/posts/{postId}/tip',
  tag: 'Access',
  summary: 'Tip the author of a post with x402, without an account',
  paidWith: { protocol: 'x402' },
  description: 'Returns 402 with an offer in Nano. Repeat the request with `PAYMENT-SIGNATURE` to send the tip.',
  credential: ['owner-session', 'none'],
  request: {
    params: z.object({ postId: Uuid }),
    query: z.object({ amount_raw: TipAmountRaw }),
    headers: paymentHeaders.pick({ 'payment-signature': true }),
  },
  replies: { 200: z.object({ tip: SentTip }), 402: PaymentRequired },
  replyHeaders: paymentReplyHeaders,
  refusals: [publicPostNotFound, ownContent, tippingUnavailable, paymentMalformed, paymentIdentifierConflict],
  handlerLimits: [paymentProofs],
  errors: 'h3',
  cache: 'private',
})
