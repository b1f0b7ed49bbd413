import type { EarningsReport } from '@pennypost/contract/finance'
import { type Asset, amountOf, formatAmount } from '@pennypost/contract/money'
import { DayBars } from '../components/day-bars.tsx'
import { plural } from '../format.ts'
import { railNames, truncateAmount } from './amount.tsx'

interface DayChartProps {
  readonly report: EarningsReport
  readonly asset: Asset
}

/** A bar chart of one asset's earnings. */
export function DayChart({ report: { from, to, days }, asset }: DayChartProps) {
  const known = new Map(days.map((each) => [each.day, each[asset]]))
  const countOf = (dates: readonly string[]) => dates.reduce((sum, day) => sum + (known.get(day)?.count ?? 0), 0)
  return (
    <DayBars
      name={railNames[asset]}
      label={`Received in ${railNames[asset]}`}
      from={from}
      to={to}
      sumOf={(day) => BigInt(known.get(day)?.net_raw ?? 0)}
      format={(raw) => `${truncateAmount(formatAmount(asset, amountOf(asset, raw)))} ${asset}`}
      detailOf={(dates) => `, ${plural(countOf(dates), 'payment')}`}
    />
  )
}
