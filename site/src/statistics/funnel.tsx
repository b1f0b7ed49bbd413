import type { Figures } from '@pennypost/contract/statistics'
import { NumberHeading } from '../components/number-heading.tsx'
import { Strip } from '../components/strip.tsx'
import { shareOf } from './share.ts'

/** How many readers saw a paywall, and how many sales there were: each step with its share of the one before. */
export function Funnel({ totals: { readers, paywallViews, sales } }: { readonly totals: Figures }) {
  const steps = [
    ['Readers', readers, undefined],
    ['Saw the paywall', paywallViews, readers],
    ['Bought', sales.count, paywallViews],
  ] as const
  const most = Math.max(readers, paywallViews, sales.count, 1)
  return (
    <div>
      <table class="figures funnel">
        <thead>
          <tr>
            <th scope="col">Step</th>
            <NumberHeading>Number</NumberHeading>
            <NumberHeading>Of the step before</NumberHeading>
          </tr>
        </thead>
        <tbody>
          {steps.map(([name, count, before]) => (
            <tr key={name}>
              <th scope="row">
                {name}
                <Strip parts={[[(count / most) * 100, 'mark']]} />
              </th>
              <td class="number">{count.toLocaleString('en')}</td>
              <td class="number">{before === undefined ? '' : (shareOf(count, before) ?? '–')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
