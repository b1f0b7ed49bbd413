import { z } from 'zod'
import { PublicAuthor } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { DateTime, queryInteger, trimmedText, Uuid } from './schemas.ts'

// What somebody has bought, in whichever way: for them to find again, to read and to account for.

const LibraryPayment = z
  .object({
    id: Uuid,
    asset: z.enum(['XNO', 'USDC']),
    network: z.enum(['nano:mainnet', 'eip155:8453']),
    amountAtomic: z.string(),
    amount: z.string().meta({ description: 'The same in whole units.' }),
    payer: z.string().nullable().meta({ description: 'The wallet that paid, where we know it.' }),
    transactions: z.array(z.string()).meta({ description: 'The blocks or the transaction that brought the money.' }),
  })
  .meta({ id: 'LibraryPayment' })

export const LibraryItem = z
  .object({
    post: z.object({
      id: Uuid,
      title: z.string(),
      description: z.string(),
      status: z.enum(['published', 'withdrawn']).meta({ description: 'What was bought stays readable either way.' }),
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
  summary: 'What you have bought, on all rails',
  description: 'By this account, and by the wallets that are linked to it. A Post stands in it once.',
  credential: 'owner-session',
  request: {
    query: z.object({
      q: trimmedText(0, 100).optional().meta({ description: 'Found in title, description, name or handle.' }),
      sort: z.enum(librarySorts).default('newest'),
      post_id: Uuid.optional().meta({ description: 'Only this Post: empty where it was not bought.' }),
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
