import type pg from 'pg'
import type { TimePosition } from '../platform/cursor.ts'
import { readRows, type Statement } from '../platform/database/database.ts'

interface FollowedPost {
  readonly post_id: string
  readonly published_at: Date
}

// The newest post of each creator first, one index probe for each. The page can only have posts of the creators whose newest
// posts are the newest of all, so no more than those are read: the cost does not grow with how much the others have written.
const newestOf = (creator: string, limit: string): string => `
  SELECT posts.id, posts.published_at FROM posts
  WHERE posts.account_id = ${creator} AND posts.status = 'published' AND (posts.published_at, posts.id) < ($2, $3::uuid)
  ORDER BY posts.published_at DESC, posts.id DESC LIMIT ${limit}`

const followedPosts: Statement<FollowedPost> = {
  name: 'followed-posts',
  text: `WITH latest AS MATERIALIZED (
      SELECT followed.creator_id FROM follows followed CROSS JOIN LATERAL (${newestOf('followed.creator_id', '1')}) newest
      WHERE followed.follower_id = $1 ORDER BY newest.published_at DESC, newest.id DESC LIMIT $4)
    SELECT post.id AS post_id, post.published_at FROM latest CROSS JOIN LATERAL (${newestOf('latest.creator_id', '$4')}) post
    ORDER BY post.published_at DESC, post.id DESC LIMIT $4`,
}

export const followedPostsSql = followedPosts.text

/** The published posts of the creators that an account follows, after a position, newest first. */
export const listFollowed = (
  pool: pg.Pool,
  followerId: string,
  after: TimePosition | undefined,
  limit: number,
): Promise<FollowedPost[]> =>
  readRows(pool, followedPosts, [
    followerId,
    after?.at ?? 'infinity',
    after?.id ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    limit,
  ])
