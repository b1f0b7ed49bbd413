import { type EarningsReport, getEarningsReport, listEarnings } from '@pennypost/contract/finance'
import type { Asset } from '@pennypost/contract/money'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { plural } from '../format.ts'
import { showView } from '../show-view.ts'
import { svg } from '../svg.ts'
import { tabs } from '../tabs.ts'
import { amountElement, assets, railNames } from './amounts.ts'
import { dayChart, shortDay } from './day-chart.ts'

const ranges = [
  [7, 'Week'],
  [30, '30 days'],
  [90, '90 days'],
  [365, 'Year'],
] as const

type Summary = EarningsReport['summary']

/** Earnings in total, by day, by post and by rail. */
export async function showOverview(days = 30): Promise<void> {
  const [report, { summary, total }] = await Promise.all([
    callApi(getEarningsReport, { query: { days: String(days) } }),
    callApi(listEarnings, { query: { limit: '1' } }),
  ])
  if (total === 0) return showView(nothingYet())
  const used = assets.filter((asset) => report.summary[asset].count > 0)
  showView(
    totals(summary),
    tabs('How far back', ranges, days, showOverview),
    used.length === 0
      ? h('p', { class: 'empty' }, 'Nothing came in these days.')
      : [
          h('h2', {}, 'By day'),
          h(
            'div',
            { class: 'charts' },
            used.map((asset) => dayChart(report, asset)),
          ),
          dayTable(report, used),
          h('h2', {}, 'By Post'),
          postTable(report, used),
          h('h2', {}, 'By rail'),
          rails(report.summary),
        ],
  )
}

const nothingYet = (): HTMLElement =>
  h(
    'div',
    { class: 'empty' },
    h('p', {}, 'Nothing came in yet. Sales and tips will be here, by day and by Post.'),
    h('p', {}, h('a', { class: 'button quiet-button', href: '/studio' }, 'To your Posts')),
  )

/** Earnings since the account exists. */
const totals = (summary: Summary): HTMLElement =>
  h(
    'dl',
    { class: 'totals' },
    assets
      .filter((asset) => summary[asset].count > 0)
      .map((asset) =>
        h(
          'div',
          {},
          h('dt', {}, `${railNames[asset]}, in all`),
          h('dd', {}, amountElement(asset, summary[asset].net_raw)),
          h('dd', { class: 'facts' }, plural(summary[asset].count, 'payment'), commission(asset, summary)),
        ),
      ),
  )

const commission = (asset: Asset, summary: Summary) =>
  summary[asset].commission_raw === '0'
    ? ', without commission'
    : [', after ', amountElement(asset, summary[asset].commission_raw), ' commission']

const heading = (words: string, isNumber = false): HTMLElement =>
  h('th', { scope: 'col', class: isNumber ? 'number' : '' }, words)

/** The figures of the chart as a table. */
const dayTable = ({ days }: EarningsReport, used: readonly Asset[]): HTMLElement =>
  h(
    'details',
    { class: 'as-table' },
    h('summary', {}, 'The same as a table'),
    h(
      'table',
      { class: 'figures' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          heading('Day'),
          heading('Payments', true),
          used.map((asset) => heading(asset, true)),
        ),
      ),
      h(
        'tbody',
        {},
        days.toReversed().map((each) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, h('time', { datetime: each.day }, shortDay(each.day))),
            h('td', { class: 'number' }, each.XNO.count + each.USDC.count),
            used.map((asset) => h('td', { class: 'number' }, amountElement(asset, each[asset].net_raw))),
          ),
        ),
      ),
    ),
  )

/** Earnings by post, with a bar relative to the post that earned most. */
function postTable({ posts, post_count: known }: EarningsReport, used: readonly Asset[]): HTMLElement {
  const most = (asset: Asset) =>
    posts.reduce((top, post) => (BigInt(post[asset].net_raw) > top ? BigInt(post[asset].net_raw) : top), 1n)
  const tops = new Map(used.map((asset) => [asset, most(asset)]))
  return h(
    'div',
    {},
    h(
      'table',
      { class: 'figures by-post' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          heading('Post'),
          heading('Payments', true),
          used.map((asset) => heading(asset, true)),
        ),
      ),
      h(
        'tbody',
        {},
        posts.map((post) => {
          const count = post.XNO.count + post.USDC.count
          return h(
            'tr',
            { 'data-item': true },
            h('th', { scope: 'row' }, h('a', { href: `/posts/${post.post_id}` }, h('bdi', {}, post.post_title))),
            h('td', { class: 'number' }, count, h('span', { class: 'unit' }, count === 1 ? ' payment' : ' payments')),
            used.map((asset) =>
              h(
                'td',
                { class: 'number' },
                amountElement(asset, post[asset].net_raw),
                strip([[Number((BigInt(post[asset].net_raw) * 1000n) / tops.get(asset)!) / 10, 'mark']]),
              ),
            ),
          )
        }),
      ),
    ),
    known > posts.length && h('p', { class: 'quiet' }, `And ${known - posts.length} more.`),
  )
}

/** A stacked bar; widths are percentages. It is hidden from screen readers, because the table has the same figures. */
function strip(parts: readonly (readonly [width: number, tone: string])[]): SVGElement {
  let x = 0
  const pieces = parts.map(([width, tone]) => {
    const piece = svg('rect', { x, y: 0, width, height: 1, class: tone })
    x += width
    return piece
  })
  return svg(
    'svg',
    { viewBox: '0 0 100 1', preserveAspectRatio: 'none', class: 'strip', 'aria-hidden': 'true' },
    ...pieces,
  )
}

/** How people paid. Amounts of two assets cannot be added, so the shares are by number of payments. */
function rails(summary: Summary): HTMLElement {
  const all = summary.XNO.count + summary.USDC.count
  const share = (asset: Asset) => (summary[asset].count / all) * 100
  return h(
    'div',
    { class: 'rails-share' },
    strip([
      [share('XNO'), 'mark'],
      [share('USDC'), 'mark second'],
    ]),
    h(
      'table',
      { class: 'figures' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          heading('Rail'),
          ['Payments', 'Paid', 'Commission', 'Yours'].map((words) => heading(words, true)),
        ),
      ),
      h(
        'tbody',
        {},
        assets.map((asset) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, h('span', { class: `key ${asset}`, 'aria-hidden': 'true' }), railNames[asset]),
            h('td', { class: 'number' }, `${summary[asset].count} (${Math.round(share(asset))}%)`),
            (['gross_raw', 'commission_raw', 'net_raw'] as const).map((of) =>
              h('td', { class: 'number' }, amountElement(asset, summary[asset][of])),
            ),
          ),
        ),
      ),
    ),
  )
}
