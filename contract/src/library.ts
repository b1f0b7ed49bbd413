import { z } from 'zod'
import { PublicAuthor } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { DateTime, queryInteger, trimmedText, Uuid } from './schemas.ts'

// Everything an account has bought, by any payment method.

const LibraryPayment = z
  .object({
    id: Uuid,
    asset: z.enum(['XNO', 'USDC']),
    network: z.enum(['nano:mainnet', 'eip155:8453']),
    amountAtomic: z.string(),
    amount: z.string().meta({ description: 'In whole units, such as 0.25.' }),
    payer: z.string().nullable().meta({ description: 'The wallet that paid, if known.' }),
    transactions: z.array(z.string()).meta({ description: 'The Nano blocks or the Base transaction of the payment.' }),
  })
  .meta({ id: 'LibraryPayment' })

export const LibraryItem = z
  .object({
    post: z.object({
      id: Uuid,
      title: z.string(),
      description: z.string(),
      status: z.enum(['published', 'withdrawn']).meta({ description: 'Buyers can read it in either state.' }),
      author: PublicAuthor,
      contentUrl: z.string(),
      accessUrl: z.string(),
    }),
    source: z.enum(['purchase', 'x402', 'checkout']),
    grantedAt: DateTime,
    payment: LibraryPayment.nullable(),
  })
  .meta({ id: 'LibraryItem' })
export type LibraryItem = z.infer<typeof LibraryItem>

export const librarySorts = ['newest', 'oldest', 'title'] as const

export const listLibrary = endpoint({
  method: 'GET',
  path: '/api/v1/library',
  tag: 'Access',
  summary: 'List the posts you bought, by any payment method',
  description: 'Includes purchases by wallets that are linked to your account. Each post is listed once.',
  credential: 'owner-session',
  request: {
    query: z.object({
      q: trimmedText(0, 100)
        .optional()
        .meta({ description: 'Searches title, description, and the name and handle of the author.' }),
      sort: z.enum(librarySorts).default('newest'),
      post_id: Uuid.optional().meta({ description: 'Only this post. The list is empty if you did not buy it.' }),
      page: queryInteger({ min: 1, max: 1000, default: 1 }),
      per_page: queryInteger({ min: 1, max: 48, default: 12 }),
    }),
  },
  replies: {
    200: z.object({
      data: z.array(LibraryItem),
      total: z.number().int(),
      page: z.number().int(),
      perPage: z.number().int(),
    }),
  },
  errors: 'problem',
})
