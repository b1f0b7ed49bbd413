import { z } from 'zod'
import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { postNotFound } from './posts.ts'
import { Day, Uuid } from './schemas.ts'

// An author's statistics: the readers, sales and tips of their posts.

/** The longest period of one request. */
export const maxStatisticsDays = 400

const Count = z.number().int()
const Atomic = z.string().optional().meta({
  description: 'A whole number of the smallest unit. Left out for a publishing key: money is for the owner.',
})

const SalesIn = z
  .object({ count: Count, grossAtomic: Atomic, commissionAtomic: Atomic, netAtomic: Atomic })
  .meta({ id: 'SalesFigures' })
const TipsIn = z.object({ count: Count, amountAtomic: Atomic }).meta({ id: 'TipFigures' })

const figures = {
  readers: Count.meta({ description: 'Each person counts once a month and post, on the day of the first visit.' }),
  paywallViews: Count.meta({
    description: 'How many of them saw the paywall of a paid post because they had no access.',
  }),
  sales: z.object({ count: Count, XNO: SalesIn, USDC: SalesIn }),
  tips: z.object({ count: Count, XNO: TipsIn, USDC: TipsIn }).meta({
    description: 'Tips to posts, and to your comments on them.',
  }),
  conversion: z
    .object({
      sales: Count,
      paywallViews: Count,
      percent: z.string().nullable().meta({
        description: 'Sales per 100 paywall views, rounded to two digits. Null without paywall views.',
      }),
    })
    .meta({ id: 'Conversion' }),
}
const Figures = z.object(figures).meta({ id: 'StatisticsFigures' })
export type Figures = z.infer<typeof Figures>

const common = {
  from: Day,
  to: Day,
  totals: Figures,
  days: z.array(z.object({ day: Day, ...figures })).meta({
    description: 'Oldest first. Days on which nothing happened are left out.',
  }),
  referrers: z
    .array(
      z.object({
        host: z.string().nullable().meta({
          description: 'Null: they came directly, or it is not known. `other`: all that are not listed.',
        }),
        readers: Count,
      }),
    )
    .meta({ description: 'The sites that readers came from, most readers first.' }),
}

const PostStatistics = z.object({ postId: Uuid, title: z.string(), ...common }).meta({ id: 'PostStatistics' })
export type PostStatistics = z.infer<typeof PostStatistics>

const Statistics = z
  .object({
    ...common,
    posts: z.array(z.object({ postId: Uuid, title: z.string(), ...figures })).meta({
      description: 'Most readers first, at most 100.',
    }),
    postCount: Count.meta({ description: 'How many posts were read, sold or tipped.' }),
  })
  .meta({ id: 'Statistics' })
export type Statistics = z.infer<typeof Statistics>

const reading = {
  method: 'GET',
  tag: 'Statistics',
  credential: ['owner-session', 'publishing-key'],
  errors: 'problem',
  limits: [limit('statistics', { per: 'account', max: 120, seconds: 60 })],
} as const

const exporting = {
  ...reading,
  replies: { 200: raw('text/csv; charset=utf-8', 'RFC 4180.') },
  replyHeaders: { 'Content-Disposition': '`attachment`, with a file name.' },
  limits: [limit('statistics-exports', { per: 'account', max: 10, seconds: 60 })],
} as const

const params = z.object({ postId: Uuid })
/** No site is older, and further back are years that databases write in another way. */
const CountedDay = Day.refine((day) => day >= '2000-01-01', 'must be a day since 2000-01-01')
const query = z.object({
  from: CountedDay.optional().meta({ description: 'The first day, in UTC. Default: 29 days before the last.' }),
  to: CountedDay.optional().meta({ description: 'The last day, in UTC. Default: today.' }),
})

const definitions = `Days are in UTC, ${maxStatisticsDays} at most. Readers are counted without cookies, and no address is stored; programs that say they are bots do not count. The counts are up to date within ten seconds.`

export const getStatistics = endpoint({
  ...reading,
  path: '/api/v1/stats',
  summary: 'Get the readers, sales and tips of your posts',
  description: definitions,
  request: { query },
  replies: { 200: Statistics },
})

export const getPostStatistics = endpoint({
  ...reading,
  path: '/api/v1/posts/{postId}/stats',
  summary: 'Get the readers, sales and tips of a post',
  description: definitions,
  request: { params, query },
  replies: { 200: PostStatistics },
  refusals: [postNotFound],
})

const columns =
  'Amounts are exact, in whole units with a decimal point, such as 0.2375; they are empty for a publishing key.'

export const exportStatistics = endpoint({
  ...exporting,
  path: '/api/v1/stats.csv',
  summary: 'Export the statistics of your posts as CSV',
  description: `One line for each day and post on which something happened. ${columns}`,
  request: { query },
})

export const exportPostStatistics = endpoint({
  ...exporting,
  path: '/api/v1/posts/{postId}/stats.csv',
  summary: 'Export the statistics of a post as CSV',
  description: `One line for each day on which something happened. ${columns}`,
  request: { params, query },
  refusals: [postNotFound],
})
