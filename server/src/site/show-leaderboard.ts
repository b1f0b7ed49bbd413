import type { leaderboards } from '@pennypost/contract/discovery'
import { type Asset, amountOf, formatAmount } from '@pennypost/contract/money'
import type { showLeaderboard as declared } from '@pennypost/contract/public-pages'
import { countLeaders, listLeaders } from '../discovery/leaderboard-store.ts'
import { html } from '../platform/http/page.ts'
import { avatar } from './avatar.ts'
import { oneLine } from './clean-text.ts'
import { creatorPath } from './paths.ts'
import type { Handler } from './services.ts'
import { pager, sitePage } from './site-page.ts'

const perPage = 25

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
    lead: 'Creators whom the most people follow.',
    words: (value) => `${value} ${String(value) === '1' ? 'follower' : 'followers'}`,
  },
  {
    id: 'creators_sales',
    tab: 'Sales',
    lead: 'Creators whose Posts were bought most often.',
    words: (value) => `${value} ${String(value) === '1' ? 'sale' : 'sales'}`,
  },
  {
    id: 'creators_earnings',
    tab: 'Earnings',
    lead: 'Creators by what readers paid them.',
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

export const showLeaderboard: Handler<typeof declared> = async ({ pool }, { query, origin }) => {
  const { page, asset } = query
  const board = boards.find(({ id }) => id === query.board)!
  const offset = (page - 1) * perPage
  const [leaders, total] = await Promise.all([
    listLeaders(pool, { board: board.id, asset }, perPage, offset),
    countLeaders(pool, { board: board.id, asset }),
  ])
  const boardPath = (shown: Asset) =>
    `/leaderboards?board=${board.id}${board.isMoney && shown === 'USDC' ? '&asset=USDC' : ''}`
  const addressOf = (other: number) => boardPath(asset) + (other > 1 ? `&page=${other}` : '')
  return sitePage({
    title: `Leaders by ${board.tab.toLowerCase()} · Pennypost`,
    description: board.lead,
    canonicalUrl: origin + addressOf(page),
    body: html`<main id="main" class="app narrow">
<h1>Leaders</h1>
<nav class="tabs" aria-label="Leaderboards">${boards.map(
      ({ id, tab }) =>
        html`<a href="/leaderboards?board=${id}"${id === board.id && html` aria-current="page"`}>${tab}</a>`,
    )}</nav>
<p class="lead">${board.lead}</p>
${
  board.isMoney &&
  html`<nav class="tabs" aria-label="Asset">${(['XNO', 'USDC'] as const).map(
    (shown) => html`<a href="${boardPath(shown)}"${shown === asset && html` aria-current="page"`}>${shown}</a>`,
  )}</nav>
`
}${
  leaders.length === 0
    ? html`<p class="empty">Nobody is here yet.</p>`
    : html`<ol class="people" start="${offset + 1}">${leaders.map(
        (leader, index) => html`<li data-item><span class="rank">${offset + index + 1}</span>${avatar(leader)}
<a href="${creatorPath(leader.handle)}"><bdi>${oneLine(leader.name)}</bdi></a>${leader.author_kind === 'agent' && html` <span class="badge">agent</span>`}
<b>${board.words(leader.value, asset)}</b></li>
`,
      )}</ol>`
}
${pager(page, offset + leaders.length < total, addressOf)}
</main>`,
  })
}
