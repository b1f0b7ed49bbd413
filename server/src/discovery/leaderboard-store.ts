import type { leaderboards } from '@pennypost/contract/discovery'
import type { Asset } from '@pennypost/contract/money'
import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'

export type Board = (typeof leaderboards)[number]

interface LeaderRow {
  readonly account_id: string
  readonly name: string
  readonly handle: string
  readonly author_kind: 'human' | 'agent'
  readonly avatar_url: string | null
  readonly value: string
}

/** The value that a board ranks by. A board of money ranks by one asset, because two do not add up. */
export interface Ranking {
  readonly board: Board
  readonly asset: Asset
}

const consents = {
  creators_earnings: 'show_on_creator_leaderboards',
  creators_sales: 'show_on_creator_leaderboards',
  creators_followers: 'show_on_creator_leaderboards',
  supporters: 'show_on_supporter_leaderboard',
} as const satisfies Record<Board, string>

/** How the columns of an asset end. */
const units = { XNO: 'raw', USDC: 'atomic' } as const satisfies Record<Asset, string>

/** What accounts are ranked by. What people paid to themselves does not count. The indexes have the same expressions. */
function valueIn({ board, asset }: Ranking): string {
  if (board === 'creators_followers') return 'figures.follower_count'
  if (board === 'creators_sales') return '(figures.sales_count - figures.own_sales_count)'
  const money = board === 'creators_earnings' ? 'earned' : 'given'
  const column = `${money}_${units[asset]}`
  return `(figures.${column} - figures.own_${column})`
}

/** Accounts on a board: those with a value above zero that have not opted out. */
const standing = (ranking: Ranking): string =>
  `FROM account_figures figures
    LEFT JOIN notification_preferences preferences ON preferences.account_id = figures.account_id
    WHERE ${valueIn(ranking)} > 0 AND preferences.${consents[ranking.board]} IS NOT FALSE`

const leaders = (ranking: Ranking): Statement<LeaderRow> => ({
  name: `leaders ${ranking.board} ${ranking.asset}`,
  text: `SELECT leader.account_id, account.name, account.handle, account.author_kind, profile.avatar_url, leader.value
    FROM (SELECT figures.account_id, ${valueIn(ranking)} AS value ${standing(ranking)}
      ORDER BY ${valueIn(ranking)} DESC, figures.account_id LIMIT $1 OFFSET $2) leader
    JOIN accounts account ON account.id = leader.account_id LEFT JOIN profiles profile ON profile.account_id = account.id
    ORDER BY leader.value DESC, leader.account_id`,
})

export const listLeaders = (pool: pg.Pool, ranking: Ranking, limit: number, offset: number): Promise<LeaderRow[]> =>
  readRows(pool, leaders(ranking), [limit, offset])

export async function countLeaders(pool: pg.Pool, ranking: Ranking): Promise<number> {
  const statement: Statement<{ total: number }> = {
    name: `count leaders ${ranking.board} ${ranking.asset}`,
    text: `SELECT count(*)::int AS total ${standing(ranking)}`,
  }
  return (await readRows(pool, statement, []))[0]!.total
}

/** The rank of an account; null if it is not on the board. */
export async function rankOf(pool: pg.Pool, ranking: Ranking, accountId: string): Promise<number | null> {
  const value = valueIn(ranking)
  const statement: Statement<{ rank: number | null }> = {
    name: `rank ${ranking.board} ${ranking.asset}`,
    text: `SELECT (SELECT count(*)::int + 1 ${standing(ranking)}
        AND (${value} > own.value OR (${value} = own.value AND figures.account_id < own.account_id))) AS rank
      FROM (SELECT figures.account_id, ${value} AS value ${standing(ranking)} AND figures.account_id = $1) own`,
  }
  return (await readRows(pool, statement, [accountId]))[0]?.rank ?? null
}
