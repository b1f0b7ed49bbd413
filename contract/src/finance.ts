import { z } from 'zod'
import { raw } from './body.ts'
import { PublicAuthor } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { DateTime, Day, queryInteger, Uuid } from './schemas.ts'

// The finances of an account, read from the ledger: what it received, paid and is owed.

const Raw = z.string().nullable().meta({
  description: 'A whole number of the smallest unit. Null if the original amount is not known.',
})
const Sum = z.string().meta({ description: 'A whole number of the smallest unit.' })

const FinancialItem = z
  .object({
    source_kind: z.enum(['purchase', 'tip']),
    source_id: Uuid.meta({ description: 'Together with `source_kind` it identifies the item in every list.' }),
    kind: z.enum(['sale', 'purchase', 'tip', 'payout']),
    direction: z.enum(['in', 'out']),
    asset: z.enum(['XNO', 'USDC']),
    status: z.enum(['received', 'paid', 'waiting', 'blocked', 'confirmed']).meta({
      description:
        '`received`: the buyer paid. `paid`: the creator has been paid. A payout is `waiting`, `blocked` until it is bound to an address, or `confirmed`.',
    }),
    gross_raw: Raw,
    commission_raw: Raw,
    net_raw: Raw,
    post_id: Uuid,
    post_title: z.string(),
    counterparty: PublicAuthor.nullable().meta({ description: 'The account that paid or was paid.' }),
    created_at: DateTime,
    settled_at: DateTime.nullable().meta({ description: 'When the payment to the creator was confirmed.' }),
    block_hash: z.string().nullable().meta({ description: 'The block that paid the creator.' }),
    resolution_eligible: z.boolean().meta({
      description: 'Whether this is a payout to you that you must bind to your saved address.',
    }),
  })
  .meta({ id: 'FinancialItem' })
export type FinancialItem = z.infer<typeof FinancialItem>

const AssetSummary = z
  .object({ count: z.number().int(), gross_raw: Sum, commission_raw: Sum, net_raw: Sum })
  .meta({ id: 'FinancialSummary' })

const bothAssets = { XNO: AssetSummary, USDC: AssetSummary }

const FinancialList = z
  .object({
    items: z.array(FinancialItem),
    total: z.number().int(),
    summary: z.object(bothAssets),
    pagination: z.object({ asOf: DateTime, nextCursor: z.string().nullable() }),
  })
  .meta({ id: 'FinancialList' })
export type FinancialList = z.infer<typeof FinancialList>

const owner = {
  tag: 'Finance',
  method: 'GET',
  credential: 'owner-session',
  replies: { 200: FinancialList },
  errors: 'problem',
} as const

const paging = {
  limit: queryInteger({ min: 1, max: 50, default: 20 }),
  cursor: z.string().max(300).optional().meta({ description: 'The `nextCursor` of the previous page.' }),
}

const direction = z.enum(['in', 'out']).optional().meta({ description: 'Default: both.' })
const asset = z.enum(['XNO', 'USDC']).optional().meta({ description: 'Default: both.' })

const asOf =
  'Newest first. All pages of one list show the account as of `asOf`: later items are neither listed nor counted, and `total` and `summary` stay the same as on the first page. The status of an item is always the current one.'

export const listTransactions = endpoint({
  ...owner,
  path: '/api/v1/transactions',
  summary: 'List what you received and paid',
  description: `${asOf} \`summary\` adds up the listed items; with \`direction\`, one side only.`,
  request: { query: z.object({ ...paging, direction, asset }) },
})

export const exportTransactions = endpoint({
  ...owner,
  path: '/api/v1/transactions.csv',
  summary: 'Export all transactions as CSV',
  description:
    'Newest first, with a header line. Amounts are exact, in whole units with a decimal point, such as 0.2375. The file is streamed, so it can be long.',
  request: { query: z.object({ direction, asset }) },
  replies: { 200: raw('text/csv; charset=utf-8', 'RFC 4180.') },
  replyHeaders: { 'Content-Disposition': '`attachment`, with a file name.' },
  limits: [limit('transaction-exports', { per: 'account', max: 10, seconds: 60 })],
})

export const listEarnings = endpoint({
  ...owner,
  path: '/api/v1/earnings',
  summary: 'List the earnings of your posts and comments',
  description: asOf,
  request: { query: z.object({ ...paging, asset }) },
})

const EarningsReport = z
  .object({
    from: Day,
    to: Day.meta({ description: 'Today in UTC.' }),
    summary: z.object(bothAssets),
    days: z.array(z.object({ day: Day, ...bothAssets })).meta({
      description: 'Oldest first. Days without payments are left out.',
    }),
    posts: z.array(z.object({ post_id: Uuid, post_title: z.string(), ...bothAssets })).meta({
      description: 'Most payments first, at most 100.',
    }),
    post_count: z.number().int().meta({ description: 'The number of posts with earnings.' }),
    rates: z.object({ XNO: z.string().nullable(), USDC: z.string().nullable() }).meta({
      description: 'US dollars for one coin, now. Null without a rate from the last hour.',
    }),
  })
  .meta({ id: 'EarningsReport' })
export type EarningsReport = z.infer<typeof EarningsReport>

export const getEarningsReport = endpoint({
  ...owner,
  path: '/api/v1/earnings/report',
  summary: 'Get your earnings by day and by post',
  description: 'Days are in UTC. A tip to a comment counts for the post of the comment.',
  request: { query: z.object({ days: queryInteger({ min: 1, max: 366, default: 30 }) }) },
  replies: { 200: EarningsReport },
})

export const listPayouts = endpoint({
  ...owner,
  path: '/api/v1/payouts',
  summary: 'List payouts sent or owed to you',
  description: `${asOf} Payments that go directly to you, such as USDC, are not payouts. With \`status\`, only payouts that currently have that status are listed and counted.`,
  request: {
    query: z.object({
      ...paging,
      status: z.enum(['waiting', 'blocked']).optional().meta({ description: 'Only payouts that you are still owed.' }),
    }),
  },
})
