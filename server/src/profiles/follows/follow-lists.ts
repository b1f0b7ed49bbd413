import type pg from 'pg'
import type { PersonRow } from '../../accounts/person-view.ts'
import { readRows, type Statement } from '../../platform/database/database.ts'

// Public lists and counts of follows.

export interface FollowCounts {
  readonly followers: number
  readonly following: number
}

const countsOfAccount: Statement<FollowCounts> = {
  name: 'follow-counts',
  text: `SELECT coalesce(f.follower_count, 0) AS followers, coalesce(f.following_count, 0) AS following
    FROM accounts a LEFT JOIN account_figures f ON f.account_id = a.id WHERE a.id = $1`,
}

/** Returns undefined if there is no account with this id. */
export const findFollowCounts = async (pool: pg.Pool, accountId: string): Promise<FollowCounts | undefined> =>
  (await readRows(pool, countsOfAccount, [accountId]))[0]

const peopleOf = (whose: 'creator_id' | 'follower_id', shown: 'creator_id' | 'follower_id'): string => `
  SELECT a.id AS person_id, a.handle, a.name, a.author_kind, p.avatar_url
  FROM (SELECT ${shown} AS account_id, created_at, id FROM follows WHERE ${whose} = $1
    ORDER BY created_at DESC, id LIMIT $2 OFFSET $3) page
  JOIN accounts a ON a.id = page.account_id
  LEFT JOIN profiles p ON p.account_id = a.id
  ORDER BY page.created_at DESC, page.id`

const followersOf: Statement<PersonRow> = { name: 'followers-of', text: peopleOf('creator_id', 'follower_id') }
const followedBy: Statement<PersonRow> = { name: 'followed-by', text: peopleOf('follower_id', 'creator_id') }

export interface PageQuery {
  readonly page: number
  readonly per_page: number
}

const pageOf = (pool: pg.Pool, statement: Statement<PersonRow>, id: string, { page, per_page: perPage }: PageQuery) =>
  readRows(pool, statement, [id, perPage, (page - 1) * perPage])

export const listFollowersOf = (pool: pg.Pool, accountId: string, page: PageQuery): Promise<PersonRow[]> =>
  pageOf(pool, followersOf, accountId, page)
export const listFollowedBy = (pool: pg.Pool, accountId: string, page: PageQuery): Promise<PersonRow[]> =>
  pageOf(pool, followedBy, accountId, page)
