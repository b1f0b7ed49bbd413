import type { Figures } from '@pennypost/contract/statistics'
import { NumberHeading } from '../components/number-heading.tsx'
import { Strip } from '../components/strip.tsx'
import { Amount, assets, railNames } from '../earnings/amount.tsx'

/** How people paid. Amounts of two assets cannot be added, so the shares are by number of payments. */
export function RailTable({ totals: { sales, tips } }: { readonly totals: Figures }) {
  const all = sales.count + tips.count
  const share = (asset: (typeof assets)[number]) => ((sales[asset].count + tips[asset].count) / all) * 100
  return (
    <div class="rails-share">
      <Strip
        parts={[
          [share('XNO'), 'mark'],
          [share('USDC'), 'mark second'],
        ]}
      />
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Method</th>
            <NumberHeading>Sales</NumberHeading>
            <NumberHeading>Paid</NumberHeading>
            <NumberHeading>Tips</NumberHeading>
            <NumberHeading>Yours</NumberHeading>
          </tr>
        </thead>
        <tbody>
          {assets.map((asset) => (
            <tr key={asset}>
              <th scope="row">
                <span class={`key ${asset}`} aria-hidden="true" />
                {railNames[asset]}
              </th>
              <td class="number">{sales[asset].count}</td>
              <td class="number">
                <Amount asset={asset} raw={sales[asset].grossAtomic ?? null} />
              </td>
              <td class="number">
                <Amount asset={asset} raw={tips[asset].amountAtomic ?? null} />
              </td>
              <td class="number">
                <Amount
                  asset={asset}
                  raw={String(BigInt(sales[asset].netAtomic ?? 0) + BigInt(tips[asset].amountAtomic ?? 0))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
