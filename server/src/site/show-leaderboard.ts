import type { leaderboards } from '@pennypost/contract/discovery'
import { type Asset, amountOf, formatAmount } from '@pennypost/contract/money'
import type { showLeaderboard as declared } from '@pennypost/contract/public-pages'
import { LeaderboardPage } from '@pennypost/site/components/leaderboard-page'
import { countLeaders, listLeaders } from '../discovery/leaderboard-store.ts'
import { personOf } from './person.ts'
import type { Handler } from './services.ts'
import { sitePage } from './site-page.ts'

const perPage = 25
const assets = ['XNO', 'USDC'] as const

const moneyWords = (value: string, asset: Asset): string => `${formatAmount(asset, amountOf(asset, value))} ${asset}`

type Board = (typeof leaderboards)[number]

const boards: readonly {
  readonly id: Board
  readonly tab: string
  readonly lead: string
  /** A board of money ranks by one asset. */
  readonly isMoney?: true
  words(value: string, asset: Asset): string
}[] = [
  {
    id: 'creators_followers',
    tab: 'Followers',
    lead: 'Authors with the most followers.',
    words: (value) => `${value} ${String(value) === '1' ? 'follower' : 'followers'}`,
  },
  {
    id: 'creators_sales',
    tab: 'Sales',
    lead: 'Authors whose posts were bought most often.',
    words: (value) => `${value} ${String(value) === '1' ? 'sale' : 'sales'}`,
  },
  {
    id: 'creators_earnings',
    tab: 'Earnings',
    lead: 'Authors by what readers paid them.',
    isMoney: true,
    words: moneyWords,
  },
  {
    id: 'supporters',
    tab: 'Supporters',
    lead: 'Readers by what they gave.',
    isMoney: true,
    words: moneyWords,
  },
]

export const showLeaderboard: Handler<typeof declared> = async ({ pool, site }, { query, origin }) => {
  const { page, asset } = query
  const board = boards.find(({ id }) => id === query.board)!
  const offset = (page - 1) * perPage
  const [leaders, total] = await Promise.all([
    listLeaders(pool, { board: board.id, asset }, perPage, offset),
    countLeaders(pool, { board: board.id, asset }),
  ])
  const boardPath = (shown: Asset) =>
    `/leaderboards?board=${board.id}${board.isMoney && shown === 'USDC' ? '&asset=USDC' : ''}`
  const pathOf = (other: number) => boardPath(asset) + (other > 1 ? `&page=${other}` : '')
  return sitePage(site.settings(), {
    title: board.id === 'supporters' ? 'Top supporters' : `Top authors by ${board.tab.toLowerCase()}`,
    description: board.lead,
    canonicalUrl: origin + pathOf(page),
    body: LeaderboardPage({
      boards: boards.map(({ id, tab }) => ({
        href: `/leaderboards?board=${id}`,
        label: tab,
        isCurrent: id === board.id,
      })),
      assets:
        board.isMoney && assets.map((each) => ({ href: boardPath(each), label: each, isCurrent: each === asset })),
      lead: board.lead,
      leaders: leaders.map((leader) => ({
        person: personOf(leader),
        value: board.words(leader.value, asset),
      })),
      firstRank: offset + 1,
      page,
      hasMore: offset + leaders.length < total,
      pathOf,
    }),
  })
}
