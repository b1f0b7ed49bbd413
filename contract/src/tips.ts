import { z } from 'zod'
import { commentNotFound } from './comments.ts'
import { PublicAuthor, publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { DateTime, Uuid } from './schemas.ts'

// Who tipped what, for anybody.

/** Neither list has pages: so many are shown, and no more. */
export const mostListedTips = 500

const RawAmount = z.string().meta({ description: "Nano's raw, a whole number in digits." })

const TipActivity = z
  .object({
    id: Uuid,
    amountReceivedRaw: RawAmount,
    tipper: PublicAuthor.nullable(),
    message: z.string().nullable(),
    createdAt: DateTime,
  })
  .meta({ id: 'TipActivity' })

const Supporter = z
  .object({ tipper: PublicAuthor.nullable(), tipAmountRaw: RawAmount.nullable() })
  .meta({ id: 'Supporter' })

/** §8: 40 requests per 10 seconds per user or IP. */
const supporterReads = limit('supporter-reads', { per: 'account-or-ip', max: 40, seconds: 10 })

const open = { tag: 'Discussion', method: 'GET', credential: 'none', errors: 'h3' } as const

export const listTipActivities = endpoint({
  ...open,
  path: '/api/posts/{postId}/tip-activities',
  summary: 'Tips to a Post, the latest first',
  description: `Tips to its Comments are not among them. At most the latest ${mostListedTips}.`,
  request: { params: z.object({ postId: Uuid }) },
  replies: { 200: z.array(TipActivity) },
  refusals: [publicPostNotFound],
})

export const listCommentSupporters = endpoint({
  ...open,
  path: '/api/posts/{postId}/comments/{commentId}/tips/supporters',
  summary: 'Who tipped a Comment, each once, whoever gave most first',
  description: `At most ${mostListedTips} people.`,
  request: { params: z.object({ postId: Uuid, commentId: Uuid }) },
  replies: { 200: z.array(Supporter) },
  refusals: [commentNotFound],
  limits: [supporterReads],
  retryHint: 'body',
})
