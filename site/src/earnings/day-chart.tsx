import type { EarningsReport } from '@pennypost/contract/finance'
import { type Asset, amountOf, formatAmount } from '@pennypost/contract/money'
import { plural } from '../format.ts'
import { railNames, truncateAmount } from './amount.tsx'

/** One bar: a day, or several days in a row. */
interface Span {
  readonly first: string
  readonly last: string
  readonly net: bigint
  readonly count: number
}

const dayMs = 86_400_000
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
export const shortDay = (date: string): string => day.format(new Date(date))

/** With more bars than this they get too thin for a phone, and each bar is a week instead. */
const maxBars = 120

/** Groups the days of a report into bars, including days without payments. */
function groupDays({ from, to, days }: EarningsReport, asset: Asset): Span[] {
  const known = new Map(days.map((each) => [each.day, each[asset]]))
  const length = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  const size = length > maxBars ? 7 : 1
  const dayAt = (index: number) => new Date(Date.parse(from) + index * dayMs).toISOString().slice(0, 10)
  return Array.from({ length: Math.ceil(length / size) }, (_, bar) => {
    const dates = Array.from({ length: Math.min(size, length - bar * size) }, (_, at) => dayAt(bar * size + at))
    const sums = dates.flatMap((date) => known.get(date) ?? [])
    return {
      first: dates[0]!,
      last: dates.at(-1)!,
      net: sums.reduce((total, { net_raw }) => total + BigInt(net_raw), 0n),
      count: sums.reduce((total, { count }) => total + count, 0),
    }
  })
}

const spanLabel = ({ first, last }: Span): string =>
  first === last ? shortDay(first) : `${shortDay(first)} to ${shortDay(last)}`

/** The next round amount above the largest one, for the scale. */
function roundAbove(most: bigint): bigint {
  const unit = 10n ** BigInt(most.toString().length - 1)
  return [1n, 2n, 3n, 4n, 5n, 6n, 8n].map((times) => times * unit).find((amount) => amount >= most) ?? 10n * unit
}

interface DayChartProps {
  readonly report: EarningsReport
  readonly asset: Asset
}

/**
 * A bar chart of one asset's earnings. Its label summarises it for screen readers; the table below has all figures. The drawing
 * stretches to the available width. Its texts are outside of it, so that only the bars are stretched.
 */
export function DayChart({ report, asset }: DayChartProps) {
  const spans = groupDays(report, asset)
  const best = spans.reduce((one, other) => (other.net > one.net ? other : one))
  const top = roundAbove(best.net)
  const amount = (raw: bigint) => `${truncateAmount(formatAmount(asset, amountOf(asset, raw)))} ${asset}`
  return (
    <figure class="chart">
      <figcaption>
        <b>{railNames[asset]}</b> each {spans[0]!.first === spans[0]!.last ? 'day' : 'week'}
      </figcaption>
      <div class="scale" aria-hidden="true">
        <span>{amount(top)}</span>
        <span>0</span>
      </div>
      <svg
        viewBox={`0 0 ${spans.length} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Received in ${railNames[asset]}. Most on ${spanLabel(best)}: ${amount(best.net)}.`}
      >
        {[0, 50, 100].map((y) => (
          <line key={y} x1={0} x2={spans.length} y1={y} y2={y} class="rule" />
        ))}
        {spans.map((span, index) => {
          const height = Math.max(Number((span.net * 1000n) / top) / 10, span.net > 0n ? 0.8 : 0)
          return (
            <g key={span.first}>
              <rect x={index} y={0} width={1} height={100} class="hit" />
              <rect x={index + 0.14} width={0.72} y={100 - height} height={height} class="mark" />
              <title>{`${spanLabel(span)}: ${amount(span.net)}, ${plural(span.count, 'payment')}`}</title>
            </g>
          )
        })}
      </svg>
      <div class="ends" aria-hidden="true">
        {[report.from, spans[Math.floor(spans.length / 2)]!.first, report.to].map((date) => (
          <span key={date}>{shortDay(date)}</span>
        ))}
      </div>
    </figure>
  )
}
