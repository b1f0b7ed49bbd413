import {
  type EarningsReport,
  type FinancialList,
  getEarningsReport,
  listEarnings,
  listPayouts,
} from '@pennypost/contract/finance'
import type { Asset } from '@pennypost/contract/money'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { NumberHeading } from '../components/number-heading.tsx'
import { Name } from '../components/person-link.tsx'
import { Strip } from '../components/strip.tsx'
import { errorMessage } from '../error-message.ts'
import { plural, shortDay } from '../format.ts'
import { postPath } from '../paths.ts'
import { showToast } from '../show-toast.ts'
import { TabButtons } from '../ui/tab-buttons.tsx'
import { Amount, assets, inDollars, railNames } from './amount.tsx'
import { DayChart } from './day-chart.tsx'

const ranges = [
  [7, 'Week'],
  [30, '30 days'],
  [90, '90 days'],
  [365, 'Year'],
] as const

type Summary = EarningsReport['summary']

export async function loadOverview(days = 30) {
  const [report, { summary, total }, waiting, blocked] = await Promise.all([
    callApi(getEarningsReport, { query: { days: String(days) } }),
    callApi(listEarnings, { query: { limit: '1' } }),
    callApi(listPayouts, { query: { status: 'waiting', limit: '1' } }),
    callApi(listPayouts, { query: { status: 'blocked', limit: '1' } }),
  ])
  return { days, report, summary, total, waiting, blocked }
}

/** Earnings in total, by day, by post and by payment method. */
export function Overview({ first }: { readonly first: Awaited<ReturnType<typeof loadOverview>> }) {
  const [{ days, report, summary, total, waiting, blocked }, setShown] = useState(first)
  if (total === 0) return <NothingYet />
  const used = assets.filter((asset) => report.summary[asset].count > 0)
  const select = async (chosen: number) => {
    try {
      setShown(await loadOverview(chosen))
    } catch (error) {
      showToast(errorMessage(error))
    }
  }
  return (
    <>
      <Totals summary={summary} rates={report.rates} />
      <Owed waiting={waiting} blocked={blocked} />
      <TabButtons<number> label="How far back" options={ranges} current={days} onSelect={select} />
      {used.length === 0 ? (
        <p class="empty">No earnings in this period.</p>
      ) : (
        <>
          <h2>By day</h2>
          <div class="charts">
            {used.map((asset) => (
              <DayChart key={asset} report={report} asset={asset} />
            ))}
          </div>
          <DayTable report={report} used={used} />
          <h2>By post</h2>
          <PostTable report={report} used={used} />
          <h2>By payment method</h2>
          <RailShares summary={report.summary} />
        </>
      )}
    </>
  )
}

const NothingYet = () => (
  <div class="empty">
    <p>No earnings yet. Sales and tips will be here, by day and by post.</p>
    <p>
      <a class="button quiet-button" href="/studio">
        Your posts
      </a>
    </p>
  </div>
)

/** Earnings since the account was created. */
const Totals = ({ summary, rates }: { readonly summary: Summary; readonly rates: EarningsReport['rates'] }) => (
  <dl class="totals">
    {assets
      .filter((asset) => summary[asset].count > 0)
      .map((asset) => (
        <div key={asset}>
          <dt>{railNames[asset]} total</dt>
          <dd>
            {inDollars(asset, summary[asset].net_raw, rates) ?? <Amount asset={asset} raw={summary[asset].net_raw} />}
          </dd>
          <dd class="facts">
            {inDollars(asset, summary[asset].net_raw, rates) && (
              <>
                <Amount asset={asset} raw={summary[asset].net_raw} /> at today's rate,{' '}
              </>
            )}
            {plural(summary[asset].count, 'payment')}
            {summary[asset].commission_raw === '0' ? (
              ', without commission'
            ) : (
              <>
                , after <Amount asset={asset} raw={summary[asset].commission_raw} /> commission
              </>
            )}
          </dd>
        </div>
      ))}
  </dl>
)

interface OwedProps {
  readonly waiting: FinancialList
  readonly blocked: FinancialList
}

/** Money that readers have paid and the author has not received yet. */
const Owed = ({ waiting, blocked }: OwedProps) =>
  waiting.total + blocked.total > 0 && (
    <ul class="notice owed">
      {waiting.total > 0 && (
        <li>
          <Amount asset="XNO" raw={waiting.summary.XNO.net_raw} /> from {plural(waiting.total, 'payment')} is on its way
          to your wallet.
        </li>
      )}
      {blocked.total > 0 && (
        <li>
          <Amount asset="XNO" raw={blocked.summary.XNO.net_raw} /> from {plural(blocked.total, 'payment')} could not be
          sent yet. It is yours and stays here until you <a href="/studio/earnings/payouts">choose where it goes</a>.
        </li>
      )}
    </ul>
  )

const Headings = ({ first, used }: { readonly first: string; readonly used: readonly Asset[] }) => (
  <thead>
    <tr>
      <th scope="col">{first}</th>
      <NumberHeading>Payments</NumberHeading>
      {used.map((asset) => (
        <NumberHeading key={asset}>{asset}</NumberHeading>
      ))}
    </tr>
  </thead>
)

interface TableProps {
  readonly report: EarningsReport
  readonly used: readonly Asset[]
}

/** The figures of the chart as a table. */
const DayTable = ({ report: { days }, used }: TableProps) => (
  <details class="as-table">
    <summary>View as table</summary>
    <table class="figures">
      <Headings first="Day" used={used} />
      <tbody>
        {days.toReversed().map((each) => (
          <tr key={each.day}>
            <th scope="row">
              <time datetime={each.day}>{shortDay(each.day)}</time>
            </th>
            <td class="number">{each.XNO.count + each.USDC.count}</td>
            {used.map((asset) => (
              <td key={asset} class="number">
                <Amount asset={asset} raw={each[asset].net_raw} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </details>
)

/** Earnings by post, with a bar relative to the post that earned most. */
function PostTable({ report: { posts, post_count: known, rates }, used }: TableProps) {
  const most = (asset: Asset) =>
    posts.reduce((top, post) => (BigInt(post[asset].net_raw) > top ? BigInt(post[asset].net_raw) : top), 1n)
  const tops = new Map(used.map((asset) => [asset, most(asset)]))
  return (
    <div>
      <table class="figures by-post">
        <Headings first="Post" used={used} />
        <tbody>
          {posts.map((post) => {
            const count = post.XNO.count + post.USDC.count
            return (
              <tr key={post.post_id} data-item="">
                <th scope="row">
                  <a href={postPath(post.post_id)}>
                    <Name of={post.post_title} />
                  </a>
                </th>
                <td class="number">
                  {count}
                  <span class="unit">{count === 1 ? ' payment' : ' payments'}</span>
                </td>
                {used.map((asset) => (
                  <td key={asset} class="number">
                    <Amount asset={asset} raw={post[asset].net_raw} />
                    {inDollars(asset, post[asset].net_raw, rates) && (
                      <span class="facts"> {inDollars(asset, post[asset].net_raw, rates)}</span>
                    )}
                    <Strip parts={[[Number((BigInt(post[asset].net_raw) * 1000n) / tops.get(asset)!) / 10, 'mark']]} />
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
      {known > posts.length && <p class="quiet">And {known - posts.length} more.</p>}
    </div>
  )
}

/** How people paid. Amounts of two assets cannot be added, so the shares are by number of payments. */
function RailShares({ summary }: { readonly summary: Summary }) {
  const all = summary.XNO.count + summary.USDC.count
  const share = (asset: Asset) => (summary[asset].count / all) * 100
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
            {['Payments', 'Paid', 'Commission', 'Yours'].map((heading) => (
              <NumberHeading key={heading}>{heading}</NumberHeading>
            ))}
          </tr>
        </thead>
        <tbody>
          {assets.map((asset) => (
            <tr key={asset}>
              <th scope="row">
                <span class={`key ${asset}`} aria-hidden="true" />
                {railNames[asset]}
              </th>
              <td class="number">
                {summary[asset].count} ({Math.round(share(asset))}%)
              </td>
              {(['gross_raw', 'commission_raw', 'net_raw'] as const).map((of) => (
                <td key={of} class="number">
                  <Amount asset={asset} raw={summary[asset][of]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
