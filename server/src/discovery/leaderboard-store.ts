import type { leaderboards } from '@pennypost/contract/discovery'
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

// What people paid to themselves does not count. The indexes have the same expressions.
const columns = {
  creators_earnings: ['(figures.earned_raw - figures.own_earned_raw)', 'show_on_creator_leaderboards'],
  creators_sales: ['(figures.sales_count - figures.own_sales_count)', 'show_on_creator_leaderboards'],
  creators_followers: ['figures.follower_count', 'show_on_creator_leaderboards'],
  supporters: ['(figures.given_raw - figures.own_given_raw)', 'show_on_supporter_leaderboard'],
} as const satisfies Record<Board, readonly [string, string]>

/** Accounts on a board: those with a value above zero that have not opted out. */
function standing(board: Board): string {
  const [value, consent] = columns[board]
  return `FROM account_figures figures
    LEFT JOIN notification_preferences wish ON wish.account_id = figures.account_id
    WHERE ${value} > 0 AND wish.${consent} IS NOT FALSE`
}

const leaders = (board: Board): Statement<LeaderRow> => ({
  name: `leaders ${board}`,
  text: `SELECT leader.account_id, account.name, account.handle, account.author_kind, profile.avatar_url, leader.value
    FROM (SELECT figures.account_id, ${columns[board][0]} AS value ${standing(board)}
      ORDER BY ${columns[board][0]} DESC, figures.account_id LIMIT $1 OFFSET $2) leader
    JOIN accounts account ON account.id = leader.account_id LEFT JOIN profiles profile ON profile.account_id = account.id
    ORDER BY leader.value DESC, leader.account_id`,
})

export const listLeaders = (pool: pg.Pool, board: Board, limit: number, offset: number): Promise<LeaderRow[]> =>
  readRows(pool, leaders(board), [limit, offset])

export async function countLeaders(pool: pg.Pool, board: Board): Promise<number> {
  const statement: Statement<{ total: number }> = {
    name: `count leaders ${board}`,
    text: `SELECT count(*)::int AS total ${standing(board)}`,
  }
  return (await readRows(pool, statement, []))[0]!.total
}

/** The rank of an account; null if it is not on the board. */
export async function rankOf(pool: pg.Pool, board: Board, accountId: string): Promise<number | null> {
  const [value] = columns[board]
  const statement: Statement<{ rank: number | null }> = {
    name: `rank ${board}`,
    text: `SELECT (SELECT count(*)::int + 1 ${standing(board)}
        AND (${value} > own.value OR (${value} = own.value AND figures.account_id < own.account_id))) AS rank
      FROM (SELECT figures.account_id, ${value} AS value ${standing(board)} AND figures.account_id = $1) own`,
  }
  return (await readRows(pool, statement, [accountId]))[0]?.rank ?? null
}
