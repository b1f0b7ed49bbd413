import { z } from 'zod'
import { commentNotFound } from './comments.ts'
import { PublicAuthor, publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { DateTime, Uuid } from './schemas.ts'

// Public lists of tips.

/** The length of both lists. */
export const maxListedTips = 500

const RawAmount = z.string().meta({ description: 'A whole number of raw, the smallest unit of Nano.' })
const AtomicUsdc = z.string().meta({ description: 'A whole number of atomic units of USDC.' })

const TipActivity = z
  .object({
    id: Uuid,
    asset: z.enum(['XNO', 'USDC']),
    amountReceivedRaw: RawAmount.meta({ description: 'In raw. `0` for a tip in USDC.' }),
    amountReceivedAtomic: AtomicUsdc.nullable().meta({
      description: 'In atomic units of USDC. Null for a tip in Nano.',
    }),
    tipper: PublicAuthor.nullable(),
    message: z.string().nullable(),
    createdAt: DateTime,
  })
  .meta({ id: 'TipActivity' })

const Supporter = z
  .object({
    tipper: PublicAuthor.nullable().meta({ description: 'Null for a wallet without an account.' }),
    tipAmountRaw: RawAmount.nullable().meta({ description: 'Everything they gave in Nano, in raw. Null for nothing.' }),
    tipAmountAtomic: AtomicUsdc.nullable().meta({
      description: 'Everything they gave in USDC, in atomic units. Null for nothing.',
    }),
  })
  .meta({ id: 'Supporter' })

/** 40 requests per 10 seconds per account, or per IP address without one. */
const supporterReads = limit('supporter-reads', { per: 'account-or-ip', max: 40, seconds: 10 })

const open = { tag: 'Discussion', method: 'GET', credential: 'none', errors: 'h3' } as const

export const listTipActivities = endpoint({
  fromReplica: 'always',
  ...open,
  path: '/api/posts/{postId}/tip-activities',
  summary: 'List tips to a post, newest first',
  description: `Tips to its comments are not included. At most ${maxListedTips}: the \`Link\` header points to the rest.`,
  request: { params: z.object({ postId: Uuid }), query: z.object({ cursor: z.string().max(200).optional() }) },
  replies: { 200: z.array(TipActivity) },
  replyHeaders: { Link: 'If there are more: `<…>; rel="next"`.' },
  refusals: [publicPostNotFound],
})

export const listCommentSupporters = endpoint({
  ...open,
  path: '/api/posts/{postId}/comments/{commentId}/tips/supporters',
  summary: 'List the people who tipped a comment, largest total first',
  description: `Ordered by what they gave in Nano, then by USDC: the two are not added up. At most ${maxListedTips} people.`,
  request: { params: z.object({ postId: Uuid, commentId: Uuid }) },
  replies: { 200: z.array(Supporter) },
  refusals: [commentNotFound],
  limits: [supporterReads],
  retryHint: 'body',
})
