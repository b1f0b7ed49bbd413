import type { getEarningsReport as declared, EarningsReport } from '@pennypost/contract/finance'
import { areFresh, type Rates } from '../../rails/rates.ts'
import type { Handler } from '../services.ts'
import { summaryView } from './finance-view.ts'
import { readDaySums, readPostSums } from './report-store.ts'

const dayMs = 86_400_000

export const getEarningsReport: Handler<typeof declared> = async ({ pool, clock, rates }, { caller, query }) => {
  const now = clock.now()
  const to = dayOf(now)
  const from = dayOf(new Date(now.getTime() - (query.days - 1) * dayMs))
  const [days, posts] = await Promise.all([
    readDaySums(pool, caller.accountId, from, to),
    readPostSums(pool, caller.accountId, from, to),
  ])
  const body: EarningsReport = {
    from,
    to,
    summary: summaryView(days).summary,
    days: groupedBy(days, ({ day }) => day).map(([day, sums]) => ({ day, ...summaryView(sums).summary })),
    posts: groupedBy(posts, ({ post_id }) => post_id).map(([post_id, sums]) => ({
      post_id,
      post_title: sums[0]!.post_title,
      ...summaryView(sums).summary,
    })),
    post_count: posts[0]?.known ?? 0,
    rates: ratesView(rates.current(), now),
  }
  return { status: 200, body }
}

const ratesView = (rates: Rates | undefined, now: Date): EarningsReport['rates'] =>
  areFresh(rates, now) ? { XNO: rates.XNO.usd, USDC: rates.USDC.usd } : { XNO: null, USDC: null }

const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** Groups rows by a key, in the order of its first appearance. */
function groupedBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): [string, Row[]][] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const known = groups.get(keyOf(row))
    if (known) known.push(row)
    else groups.set(keyOf(row), [row])
  }
  return [...groups]
}
