import { type Asset, amountOf, type EarningsReport } from '@pennypost/sdk'
import { command } from '../frame/command.ts'
import { countOf } from '../frame/format.ts'
import { cut, table } from '../frame/text.ts'
import { openOwner } from '../profile/client.ts'

const assets = ['XNO', 'USDC'] as const
const titleColumns = 50

export const earnings = command({
  name: 'earnings',
  summary: 'Show what your posts earned, by currency, with exact amounts',
  options: {
    days: { type: 'string', value: 'DAYS', summary: 'Of the last days', default: '30' },
    posts: { type: 'boolean', summary: 'By post too' },
  },
  async run({ options }, shell) {
    const { pennypost } = await openOwner(shell)
    const report = await pennypost.earnings.report(countOf('--days', options.days, 366), { signal: shell.signal })
    const header = ['Currency', 'Payments', 'Gross', 'Commission', 'Net']
    const rows = assets.map((asset) => [asset, ...figures(asset, report.summary[asset])])
    const posts = report.posts.flatMap((post) =>
      assets
        .filter((asset) => post[asset].count > 0)
        .map((asset) => [cut(post.post_title, titleColumns), asset, ...figures(asset, post[asset])]),
    )
    shell.output.result(jsonOf(report), [
      ...table(rows, header),
      ...(options.posts ? ['', ...table(posts, ['Post', ...header])] : []),
    ])
  },
})

type Summary = EarningsReport['summary']['XNO']

const figures = (asset: Asset, { count, gross_raw, commission_raw, net_raw }: Summary): string[] => [
  String(count),
  amountOf(asset, gross_raw),
  amountOf(asset, commission_raw),
  amountOf(asset, net_raw),
]

function jsonOf({ from, to, summary, posts }: EarningsReport) {
  const plain = (each: { readonly XNO: Summary; readonly USDC: Summary }) =>
    Object.fromEntries(
      assets.map((asset) => {
        const [, gross, commission, net] = figures(asset, each[asset])
        return [asset, { payments: each[asset].count, gross, commission, net }]
      }),
    )
  return {
    from,
    to,
    summary: plain(summary),
    posts: posts.map((post) => ({ postId: post.post_id, title: post.post_title, ...plain(post) })),
  }
}
