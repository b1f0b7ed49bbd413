import type { PlaceInSeries } from '@pennypost/contract/discovery'
import { canonicalPostPath } from '@pennypost/site/paths'
import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import type { Listed } from './card-store.ts'

const chosenPosts: Statement<Listed> = {
  name: 'chosen-posts',
  text: `SELECT entry.post_id, entry.stamp FROM chosen_posts chosen JOIN catalog entry ON entry.post_id = chosen.chosen_id
    WHERE chosen.post_id = $1 ORDER BY chosen.position LIMIT $2`,
}

/** The posts that the author of a post wants to be read next. */
export const listChosen = (pool: pg.Pool, postId: string, limit: number): Promise<Listed[]> =>
  readRows(pool, chosenPosts, [postId, limit])

interface Member {
  readonly series_id: string
  readonly series_title: string
  readonly id: string
  readonly title: string
  readonly slug: string
  readonly handle: string
}

const seriesMembers: Statement<Member> = {
  name: 'series-members',
  text: `SELECT series.id AS series_id, series.title AS series_title, post.id, post.title, post.slug, account.handle
    FROM series_posts own JOIN series ON series.id = own.series_id
      JOIN accounts account ON account.id = series.account_id
      JOIN series_posts member ON member.series_id = own.series_id
      JOIN posts post ON post.id = member.post_id AND post.status = 'published'
    WHERE own.post_id = $1 ORDER BY member.position`,
}

/** Where a published post is in its series. Null if it is in none. */
export async function findSeries(pool: pg.Pool, postId: string, origin: string): Promise<PlaceInSeries | null> {
  const members = await readRows(pool, seriesMembers, [postId])
  const index = members.findIndex(({ id }) => id === postId)
  if (index === -1) return null
  const neighbour = (at: number) => {
    const member = members[at]
    return member ? { id: member.id, title: member.title, pageUrl: origin + canonicalPostPath(member) } : null
  }
  const { series_id, series_title } = members[index]!
  return {
    id: series_id,
    title: series_title,
    position: index + 1,
    count: members.length,
    previous: neighbour(index - 1),
    next: neighbour(index + 1),
  }
}
