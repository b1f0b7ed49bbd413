import { z } from 'zod'
import { raw } from './body.ts'
import { PublicAuthor } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { DateTime, queryInteger, Uuid } from './schemas.ts'

// What an account received, paid and is owed (§2, decisions §7). Everything here is read from the ledger's own lines.

const Raw = z.string().nullable().meta({
  description: 'A whole number of the smallest unit in digits. Null where the original amount is not known.',
})
const Sum = z.string().meta({ description: 'A whole number of the smallest unit in digits.' })

const FinancialItem = z
  .object({
    source_kind: z.enum(['purchase', 'tip']),
    source_id: Uuid.meta({ description: 'With `source_kind` it names the item, in each of the lists.' }),
    kind: z.enum(['sale', 'purchase', 'tip', 'payout']),
    direction: z.enum(['in', 'out']),
    asset: z.enum(['XNO', 'USDC']),
    status: z.enum(['received', 'paid', 'waiting', 'blocked', 'confirmed']).meta({
      description:
        '`received`: the buyer paid. `paid`: the creator has the money. A payout is `waiting`, `blocked` until it is bound to an address, or `confirmed`.',
    }),
    gross_raw: Raw,
    commission_raw: Raw,
    net_raw: Raw,
    post_id: Uuid,
    post_title: z.string(),
    counterparty: PublicAuthor.nullable().meta({ description: 'Who paid, or who was paid.' }),
    created_at: DateTime,
    settled_at: DateTime.nullable().meta({ description: "When the creator's money was confirmed." }),
    block_hash: z.string().nullable().meta({ description: 'The block that brought it to the creator.' }),
    resolution_eligible: z.boolean().meta({
      description: 'A payout of yours that waits for you to bind it to your saved address.',
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
  cursor: z.string().max(300).optional().meta({ description: 'The `nextCursor` of the page before, as it is.' }),
}

const direction = z.enum(['in', 'out']).optional().meta({ description: 'Left out: both.' })
const asset = z.enum(['XNO', 'USDC']).optional().meta({ description: 'Left out: both.' })

const asOf =
  'The latest first. All pages that follow from one cursor show the account as of `asOf`: what came later is neither listed nor counted, and `total` and `summary` stay those of the first page. The status of an item is always the present one.'

export const listTransactions = endpoint({
  ...owner,
  path: '/api/v1/transactions',
  summary: 'What you received and what you paid',
  description: `${asOf} \`summary\` adds up what is listed; with \`direction\` that is one side only.`,
  request: { query: z.object({ ...paging, direction, asset }) },
})

export const exportTransactions = endpoint({
  ...owner,
  path: '/api/v1/transactions.csv',
  summary: 'The same as a table, whole, for your books',
  description:
    'The latest first, with a line of headings. Amounts are in whole units, exact, with a point: 0.2375. Sent while it is read, so that it may be long.',
  request: { query: z.object({ direction, asset }) },
  replies: { 200: raw('text/csv; charset=utf-8', 'RFC 4180.') },
  replyHeaders: { 'Content-Disposition': '`attachment`, with a file name.' },
  limits: [limit('transaction-exports', { per: 'account', max: 10, seconds: 60 })],
})

export const listEarnings = endpoint({
  ...owner,
  path: '/api/v1/earnings',
  summary: 'What your Posts and Comments brought you',
  description: asOf,
  request: { query: z.object({ ...paging, asset }) },
})

const Day = z.iso.date().meta({ openapi: { type: 'string', format: 'date' } })

const EarningsReport = z
  .object({
    from: Day,
    to: Day.meta({ description: 'Today, by UTC.' }),
    summary: z.object(bothAssets),
    days: z.array(z.object({ day: Day, ...bothAssets })).meta({
      description: 'The oldest first. Days on which nothing came are left out.',
    }),
    posts: z.array(z.object({ post_id: Uuid, post_title: z.string(), ...bothAssets })).meta({
      description: 'Those that brought the most payments first; at most 100.',
    }),
    post_count: z.number().int().meta({ description: 'How many Posts brought something.' }),
  })
  .meta({ id: 'EarningsReport' })
export type EarningsReport = z.infer<typeof EarningsReport>

export const getEarningsReport = endpoint({
  ...owner,
  path: '/api/v1/earnings/report',
  summary: 'What your Posts and Comments brought you, by day and by Post',
  description: 'Days are those of UTC. A tip to a Comment counts for the Post it is under.',
  request: { query: z.object({ days: queryInteger({ min: 1, max: 366, default: 30 }) }) },
  replies: { 200: EarningsReport },
})

export const listPayouts = endpoint({
  ...owner,
  path: '/api/v1/payouts',
  summary: 'What this service sends you, or still owes you',
  description: `${asOf} What goes straight to you, as USDC does, is not a payout. With \`status\` only those are listed and counted that are in that state now.`,
  request: {
    query: z.object({
      ...paging,
      status: z.enum(['waiting', 'blocked']).optional().meta({ description: 'What you are still owed, and why.' }),
    }),
  },
})
