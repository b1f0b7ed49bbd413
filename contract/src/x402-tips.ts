import { z } from 'zod'
import { commentNotFound } from './comments.ts'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { checkOfferFilter, filteredAsset, offerFilter } from './offer-filter.ts'
import { AtomicAmount, DateTime, Uuid } from './schemas.ts'
import { ownContent, TipAmountRaw, tippingUnavailable } from './tips.ts'
import {
  PaymentRequired,
  paymentHeaders,
  paymentIdentifierConflict,
  paymentMalformed,
  paymentProofs,
  paymentReplyHeaders,
} from './x402.ts'

/** The smallest tip in USDC: 0.1. Our own transaction moves it, and costs gas. */
export const minTipAtomic = 100_000n

const TipAmountAtomic = AtomicAmount.refine(
  // Text that is not digits is reported by AtomicAmount.
  (text) => !/^\d+$/.test(text) || BigInt(text) >= minTipAtomic,
  `must be at least ${minTipAtomic} atomic units`,
)

const TipQuery = z
  .object({
    amount_raw: TipAmountRaw.optional().meta({ description: 'A tip in Nano, in raw.' }),
    amount_atomic: TipAmountAtomic.optional().meta({
      description: 'A tip in USDC, in atomic units. Needs `asset=USDC`.',
    }),
    asset: offerFilter.asset.meta({ description: '`XNO` unless given.' }),
    network: offerFilter.network.meta({ description: 'The network of the asset: another way to name it.' }),
  })
  .superRefine(checkOfferFilter)
  .superRefine((query, context) => {
    const { amount_raw, amount_atomic } = query
    const asset = filteredAsset(query) ?? 'XNO'
    const refuse = (field: string, code: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], params: { code }, message })
    const [wanted, other] = asset === 'XNO' ? ['amount_raw', 'amount_atomic'] : ['amount_atomic', 'amount_raw']
    const given = { amount_raw, amount_atomic } as Record<string, string | undefined>
    if (given[other!] !== undefined) refuse(other!, 'conflict', `is not the amount of a tip in ${asset}`)
    else if (given[wanted!] === undefined) refuse(wanted!, 'required', 'is required')
  })
export type TipQuery = z.output<typeof TipQuery>

const SentTip = z
  .object({
    id: Uuid,
    post_id: Uuid,
    comment_id: Uuid.nullable().meta({ description: 'Null for a tip to the post itself.' }),
    status: z.enum(['received', 'paid']),
    asset: z.enum(['XNO', 'USDC']),
    amount_raw: z.string().nullable().meta({ description: 'In raw. Null for USDC.' }),
    amount_atomic: z.string().nullable().meta({ description: 'In atomic units of USDC. Null for Nano.' }),
    created_at: DateTime,
  })
  .meta({ id: 'SentTip' })

const tipping = {
  method: 'GET',
  tag: 'Access',
  paidWith: { protocol: 'x402' },
  description:
    'Returns 402 with one offer, in Nano for `amount_raw` or in USDC for `amount_atomic` with `asset=USDC`. Repeat the request with `PAYMENT-SIGNATURE` to send the tip. USDC goes directly to the author. No commission is taken.',
  credential: ['owner-session', 'none'],
  replies: { 200: z.object({ tip: SentTip }), 402: PaymentRequired },
  replyHeaders: paymentReplyHeaders,
  handlerLimits: [paymentProofs],
  errors: 'h3',
  cache: 'private',
} as const
const headers = paymentHeaders.pick({ 'payment-signature': true })
const refusals = [ownContent, tippingUnavailable, paymentMalformed, paymentIdentifierConflict] as const

export const tipThroughX402 = endpoint({
  ...tipping,
  path: '/api/posts/{postId}/tip',
  summary: 'Tip the author of a post with x402, without an account',
  request: { params: z.object({ postId: Uuid }), query: TipQuery, headers },
  refusals: [publicPostNotFound, ...refusals],
})

export const tipCommentThroughX402 = endpoint({
  ...tipping,
  path: '/api/comments/{commentId}/tip',
  summary: 'Tip the author of a comment with x402, without an account',
  request: { params: z.object({ commentId: Uuid }), query: TipQuery, headers },
  refusals: [commentNotFound, ...refusals],
})
