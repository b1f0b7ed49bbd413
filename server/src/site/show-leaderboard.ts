import type { leaderboards } from '@pennypost/contract/discovery'
import { amountOf, formatAmount } from '@pennypost/contract/money'
import type { showLeaderboard as declared } from '@pennypost/contract/public-pages'
import { countLeaders, listLeaders } from '../discovery/leaderboard-store.ts'
import { html } from '../platform/http/page.ts'
import { avatar } from './avatar.ts'
import { oneLine } from './clean-text.ts'
import { creatorPath } from './paths.ts'
import type { Handler } from './services.ts'
import { pager, sitePage } from './site-page.ts'

const perPage = 25

type Board = (typeof leaderboards)[number]

const boards: readonly {
  readonly id: Board
  readonly tab: string
  readonly lead: string
  words(value: string): string
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
    words: (value) => `${formatAmount('XNO', amountOf('XNO', value))} XNO`,
  },
  {
    id: 'supporters',
    tab: 'Supporters',
    lead: 'Readers by what they gave.',
    words: (value) => `${formatAmount('XNO', amountOf('XNO', value))} XNO`,
  },
]

export const showLeaderboard: Handler<typeof declared> = async ({ pool }, { query, origin }) => {
  const { page } = query
  const board = boards.find(({ id }) => id === query.board)!
  const offset = (page - 1) * perPage
  const [leaders, total] = await Promise.all([
    listLeaders(pool, board.id, perPage, offset),
    countLeaders(pool, board.id),
  ])
  const addressOf = (other: number) => `/leaderboards?board=${board.id}${other > 1 ? `&page=${other}` : ''}`
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
  leaders.length === 0
    ? html`<p class="empty">Nobody is here yet.</p>`
    : html`<ol class="people" start="${offset + 1}">${leaders.map(
        (leader, index) => html`<li data-item><span class="rank">${offset + index + 1}</span>${avatar(leader)}
<a href="${creatorPath(leader.handle)}"><bdi>${oneLine(leader.name)}</bdi></a>${leader.author_kind === 'agent' && html` <span class="badge">agent</span>`}
<b>${board.words(leader.value)}</b></li>
`,
      )}</ol>`
}
${pager(page, offset + leaders.length < total, addressOf)}
</main>`,
  })
}
