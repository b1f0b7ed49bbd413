import { Readable } from 'node:stream'
import { type Asset, amountOf, formatAmount } from '@pennypost/contract/money'
import { postNotFound } from '@pennypost/contract/posts'
import type {
  exportStatistics as declared,
  exportPostStatistics as declaredOfPost,
  Figures,
} from '@pennypost/contract/statistics'
import type pg from 'pg'
import { refuse } from '../platform/http/refuse.ts'
import { daysOf, periodOf } from './period.ts'
import type { Handler } from './services.ts'
import { findOwnTitle, readMoney, readViews, type Scope } from './statistics-store.ts'
import { figuresView, groupCounts } from './statistics-view.ts'

interface Line extends Figures {
  readonly day: string
  readonly postId: string
}

// Every cell is a day, a number or an id: none needs quotes, and none starts like a formula.
const columns: readonly (readonly [heading: string, cell: (line: Line) => string | number | null])[] = [
  ['day', ({ day }) => day],
  ['post_id', ({ postId }) => postId],
  ['readers', ({ readers }) => readers],
  ['paywall_views', ({ paywallViews }) => paywallViews],
  ['sales', ({ sales }) => sales.count],
  ['conversion_percent', ({ conversion }) => conversion.percent],
  ['sales_xno', ({ sales }) => sales.XNO.count],
  ['gross_xno', ({ sales }) => amount('XNO', sales.XNO.grossAtomic)],
  ['net_xno', ({ sales }) => amount('XNO', sales.XNO.netAtomic)],
  ['sales_usdc', ({ sales }) => sales.USDC.count],
  ['gross_usdc', ({ sales }) => amount('USDC', sales.USDC.grossAtomic)],
  ['net_usdc', ({ sales }) => amount('USDC', sales.USDC.netAtomic)],
  ['tips', ({ tips }) => tips.count],
  ['tips_xno', ({ tips }) => amount('XNO', tips.XNO.amountAtomic)],
  ['tips_usdc', ({ tips }) => amount('USDC', tips.USDC.amountAtomic)],
]

const amount = (asset: Asset, atomic: string | undefined): string | null =>
  atomic === undefined ? null : formatAmount(asset, amountOf(asset, atomic))

const heading = `${columns.map(([name]) => name).join()}\r\n`
const rowOf = (line: Line): string => `${columns.map(([, cell]) => cell(line) ?? '').join()}\r\n`

export const exportStatistics: Handler<typeof declared> = async ({ pool, clock }, { caller, query }) => {
  const scope = { accountId: caller.accountId, ...periodOf(query, clock.now()) }
  return fileOf(`statistics-${scope.from}-${scope.to}`, linesOfDays(pool, scope, caller.kind === 'owner-session'))
}

export const exportPostStatistics: Handler<typeof declaredOfPost> = async ({ pool, clock }, call) => {
  const { caller, params, query } = call
  const { postId } = params
  if ((await findOwnTitle(pool, caller.accountId, postId)) === undefined) refuse(postNotFound)
  const scope = { accountId: caller.accountId, postId, ...periodOf(query, clock.now()) }
  const [views, money] = await Promise.all([readViews(pool, scope, 'day'), readMoney(pool, scope, 'day')])
  const showsAmounts = caller.kind === 'owner-session'
  const rows = groupCounts({ views, money }).map(([day, counts]) =>
    rowOf({ day, postId, ...figuresView(counts, showsAmounts) }),
  )
  return fileOf(`statistics-${postId}-${scope.from}-${scope.to}`, [heading, ...rows])
}

const fileOf = (name: string, lines: Iterable<string> | AsyncIterable<string>) => ({
  status: 200 as const,
  headers: { 'content-disposition': `attachment; filename="${name}.csv"` },
  body: Readable.from(lines),
})

/** One day at a time: an author may have many posts. */
async function* linesOfDays(pool: pg.Pool, scope: Scope, showsAmounts: boolean): AsyncGenerator<string> {
  yield heading
  for (const day of daysOf(scope)) {
    const ofDay = { ...scope, from: day, to: day }
    const [views, money] = await Promise.all([readViews(pool, ofDay, 'post_id'), readMoney(pool, ofDay, 'post_id')])
    const lines = groupCounts({ views, money }).map(([postId, counts]) =>
      rowOf({ day, postId, ...figuresView(counts, showsAmounts) }),
    )
    if (lines.length > 0) yield lines.join('')
  }
}
