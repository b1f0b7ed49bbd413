import { shortDay } from '../format.ts'

/** One bar: a day, or several days in a row. */
interface Span {
  readonly first: string
  readonly last: string
  readonly days: readonly string[]
  readonly value: bigint
  readonly part: bigint
}

const dayMs = 86_400_000

/** With more bars than this they get too thin for a phone, and each bar is a week instead. */
const maxBars = 120

interface Bars {
  readonly from: string
  readonly to: string
  readonly sumOf: (day: string) => bigint
  readonly partOf?: (day: string) => bigint
}

/** Groups the days of a period into bars, including days without anything. */
function groupDays({ from, to, sumOf, partOf = () => 0n }: Bars): Span[] {
  const length = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  const size = length > maxBars ? 7 : 1
  const dayAt = (index: number) => new Date(Date.parse(from) + index * dayMs).toISOString().slice(0, 10)
  return Array.from({ length: Math.ceil(length / size) }, (_, bar) => {
    const days = Array.from({ length: Math.min(size, length - bar * size) }, (_, at) => dayAt(bar * size + at))
    const sum = (of: (day: string) => bigint) => days.reduce((total, day) => total + of(day), 0n)
    return { first: days[0]!, last: days.at(-1)!, days, value: sum(sumOf), part: sum(partOf) }
  })
}

const spanLabel = ({ first, last }: Span): string =>
  first === last ? shortDay(first) : `${shortDay(first)} to ${shortDay(last)}`

/** The next round amount above the largest one, for the scale. */
function roundAbove(most: bigint): bigint {
  const unit = 10n ** BigInt(most.toString().length - 1)
  return [1n, 2n, 3n, 4n, 5n, 6n, 8n].map((times) => times * unit).find((amount) => amount >= most) ?? 10n * unit
}

interface DayBarsProps extends Bars {
  readonly name: string
  /** The beginning of the label for screen readers, before "Most on …". */
  readonly label: string
  readonly format: (value: bigint) => string
  /** The meaning of the second colour. */
  readonly partName?: string
  /** Further text of a bar's tooltip. */
  readonly detailOf: (days: readonly string[]) => string
}

/**
 * A bar chart of days. Its label summarises it for screen readers; a table beside it must have all figures. The drawing
 * stretches to the available width. Its texts are outside of it, so that only the bars are stretched.
 */
export function DayBars({ name, label, format, partName, detailOf, ...bars }: DayBarsProps) {
  const spans = groupDays(bars)
  const best = spans.reduce((one, other) => (other.value > one.value ? other : one))
  const top = roundAbove(best.value > 0n ? best.value : 1n)
  const heightOf = (value: bigint) => Math.max(Number((value * 1000n) / top) / 10, value > 0n ? 0.8 : 0)
  return (
    <figure class="chart">
      <figcaption>
        <b>{name}</b> each {spans[0]!.first === spans[0]!.last ? 'day' : 'week'}
        {partName !== undefined && (
          <>
            {' '}
            <span class="key USDC" aria-hidden="true" />
            {partName}
          </>
        )}
      </figcaption>
      <div class="scale" aria-hidden="true">
        <span>{format(top)}</span>
        <span>0</span>
      </div>
      <svg
        viewBox={`0 0 ${spans.length} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}. Most on ${spanLabel(best)}: ${format(best.value)}.`}
      >
        {[0, 50, 100].map((y) => (
          <line key={y} x1={0} x2={spans.length} y1={y} y2={y} class="rule" />
        ))}
        {spans.map((span, index) => {
          const [height, part] = [heightOf(span.value), heightOf(span.part)]
          return (
            <g key={span.first}>
              <rect x={index} y={0} width={1} height={100} class="hit" />
              <rect x={index + 0.14} width={0.72} y={100 - height} height={height} class="mark" />
              {part > 0 && <rect x={index + 0.14} width={0.72} y={100 - part} height={part} class="mark second" />}
              <title>{`${spanLabel(span)}: ${format(span.value)}${detailOf(span.days)}`}</title>
            </g>
          )
        })}
      </svg>
      <div class="ends" aria-hidden="true">
        {[bars.from, spans[Math.floor(spans.length / 2)]!.first, bars.to].map((date) => (
          <span key={date}>{shortDay(date)}</span>
        ))}
      </div>
    </figure>
  )
}
