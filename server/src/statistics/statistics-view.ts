import type { Asset } from '@pennypost/contract/money'
import type { Figures } from '@pennypost/contract/statistics'
import type { MoneyCounts, ReferrerCount, ViewCounts } from './statistics-store.ts'

export interface Counts {
  readonly views: readonly ViewCounts[]
  readonly money: readonly MoneyCounts[]
}

/** Adds up what was counted. Amounts are left out for callers who may not see money. */
export function figuresView({ views, money }: Counts, showsAmounts: boolean): Figures {
  const readers = sum(views, (each) => each.readers)
  const paywallViews = sum(views, (each) => each.paywall_views)
  const of = (asset: Asset) => money.filter((each) => each.asset === asset)
  const sales = { XNO: salesView(of('XNO'), showsAmounts), USDC: salesView(of('USDC'), showsAmounts) }
  const tips = { XNO: tipsView(of('XNO'), showsAmounts), USDC: tipsView(of('USDC'), showsAmounts) }
  const saleCount = sales.XNO.count + sales.USDC.count
  return {
    readers,
    paywallViews,
    sales: { count: saleCount, ...sales },
    tips: { count: tips.XNO.count + tips.USDC.count, ...tips },
    conversion: { sales: saleCount, paywallViews, percent: percentOf(saleCount, paywallViews) },
  }
}

const salesView = (counts: readonly MoneyCounts[], showsAmounts: boolean) => ({
  count: sum(counts, (each) => each.sale_count),
  ...(showsAmounts && {
    grossAtomic: exactSum(counts, (each) => each.gross),
    commissionAtomic: exactSum(counts, (each) => each.commission),
    netAtomic: exactSum(counts, (each) => each.net),
  }),
})

const tipsView = (counts: readonly MoneyCounts[], showsAmounts: boolean) => ({
  count: sum(counts, (each) => each.tip_count),
  ...(showsAmounts && { amountAtomic: exactSum(counts, (each) => each.tips) }),
})

const sum = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((total, row) => total + of(row), 0)
const exactSum = <Row>(rows: readonly Row[], of: (row: Row) => string): string =>
  String(rows.reduce((total, row) => total + BigInt(of(row)), 0n))

/** Rounded half up to two digits, in whole numbers throughout. */
function percentOf(sales: number, paywallViews: number): string | null {
  if (paywallViews === 0) return null
  const hundredths = Math.floor((sales * 20_000 + paywallViews) / (paywallViews * 2))
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`
}

/** Groups counts by their key, in the order of keys. */
export function groupCounts({ views, money }: Counts): [key: string, counts: Counts][] {
  const groups = new Map<string, { views: ViewCounts[]; money: MoneyCounts[] }>()
  const groupOf = (key: string) => {
    const group = groups.get(key) ?? { views: [], money: [] }
    groups.set(key, group)
    return group
  }
  for (const each of views) groupOf(each.key).views.push(each)
  for (const each of money) groupOf(each.key).money.push(each)
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1))
}

/** Hosts beyond those in `rows` are counted as `other`. */
export function referrersView(rows: readonly ReferrerCount[]) {
  const rest = (rows[0]?.total ?? 0) - sum(rows, ({ readers }) => readers)
  const others = sum(
    rows.filter(({ host }) => host === 'other'),
    ({ readers }) => readers,
  )
  const listed = rows
    .filter(({ host }) => host !== 'other')
    .map(({ host, readers }) => ({ host: host === '' ? null : host, readers }))
  return rest + others === 0 ? listed : [...listed, { host: 'other', readers: rest + others }]
}
