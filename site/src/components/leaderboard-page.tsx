import { Avatar } from './avatar.tsx'
import { Pager } from './pager.tsx'
import { type Person, PersonLink } from './person-link.tsx'
import { Tabs } from './tabs.tsx'

interface Tab {
  readonly href: string
  readonly label: string
  readonly isCurrent: boolean
}

interface LeaderboardPageProps {
  readonly boards: readonly Tab[]
  /** For a board of money. */
  readonly assets: readonly Tab[] | undefined
  readonly lead: string
  readonly leaders: readonly { readonly person: Person; readonly value: string }[]
  readonly firstRank: number
  readonly page: number
  readonly hasMore: boolean
  readonly pathOf: (page: number) => string
}

export const LeaderboardPage = (props: LeaderboardPageProps) => (
  <main id="main" class="app narrow">
    <h1>Top authors</h1>
    <Tabs label="Leaderboards" tabs={props.boards} />
    <p class="lead">{props.lead}</p>
    {props.assets && <Tabs label="Asset" tabs={props.assets} />}
    {props.leaders.length === 0 ? (
      <p class="empty">Nobody is here yet.</p>
    ) : (
      <ol class="people" start={props.firstRank}>
        {props.leaders.map(({ person, value }, index) => (
          <li data-item="" key={person.handle}>
            <span class="rank">{props.firstRank + index}</span>
            <Avatar person={person} /> <PersonLink person={person} /> <b>{value}</b>
          </li>
        ))}
      </ol>
    )}
    <Pager page={props.page} hasMore={props.hasMore} pathOf={props.pathOf} />
  </main>
)
