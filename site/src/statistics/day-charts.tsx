import type { PostStatistics, Statistics } from '@pennypost/contract/statistics'
import { DayBars } from '../components/day-bars.tsx'
import { NumberHeading } from '../components/number-heading.tsx'
import { plural, shortDay } from '../format.ts'

interface DayChartsProps {
  readonly statistics: Statistics | PostStatistics
}

/** Readers with the part that saw a paywall, and sales, as charts and as a table. */
export function DayCharts({ statistics: { from, to, days, totals } }: DayChartsProps) {
  const known = new Map(days.map((each) => [each.day, each]))
  const sum = (dates: readonly string[], of: (day: (typeof days)[number]) => number) =>
    dates.reduce((total, date) => {
      const day = known.get(date)
      return day ? total + of(day) : total
    }, 0)
  const on = (date: string, of: (day: (typeof days)[number]) => number) => BigInt(sum([date], of))
  return (
    <>
      <div class="charts">
        <DayBars
          name="Readers"
          label="Readers"
          from={from}
          to={to}
          sumOf={(date) => on(date, ({ readers }) => readers)}
          partOf={(date) => on(date, ({ paywallViews }) => paywallViews)}
          partName="saw a paywall"
          format={String}
          detailOf={(dates) =>
            ` readers, ${plural(
              sum(dates, ({ paywallViews }) => paywallViews),
              'paywall view',
            )}`
          }
        />
        {totals.sales.count + totals.tips.count > 0 && (
          <DayBars
            name="Sales and tips"
            label="Sales and tips"
            from={from}
            to={to}
            sumOf={(date) => on(date, ({ sales, tips }) => sales.count + tips.count)}
            partOf={(date) => on(date, ({ tips }) => tips.count)}
            partName="tips"
            format={String}
            detailOf={(dates) =>
              ` payments, of them ${plural(
                sum(dates, ({ tips }) => tips.count),
                'tip',
              )}`
            }
          />
        )}
      </div>
      <details class="as-table">
        <summary>View as table</summary>
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">Day</th>
              {['Readers', 'Paywall views', 'Sales', 'Tips'].map((heading) => (
                <NumberHeading key={heading}>{heading}</NumberHeading>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ day, readers, paywallViews, sales, tips }) => (
              <tr key={day}>
                <th scope="row">
                  <time datetime={day}>{shortDay(day)}</time>
                </th>
                {[readers, paywallViews, sales.count, tips.count].map((count, index) => (
                  <td key={index} class="number">
                    {count}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}
