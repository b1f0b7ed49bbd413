import { randomUUID } from 'node:crypto'
import { type ColumnType, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import { countFollow } from '../account-figures.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    follows: FollowTable
  }
}

// The column's default is used for a new follow.
type Switch = ColumnType<boolean, boolean | undefined, boolean | undefined>

interface FollowTable {
  id: string
  creator_id: string
  follower_id: string
  created_at: Date
  notify_new_posts: Switch
  notify_channel_email: Switch
  notify_channel_inapp: Switch
}

export type FollowRow = Selectable<FollowTable>

export interface Pair {
  readonly creatorId: string
  readonly followerId: string
}

export const findFollow = (db: Db | Tx, { creatorId, followerId }: Pair): Promise<FollowRow | undefined> =>
  db
    .selectFrom('follows')
    .selectAll()
    .where('creator_id', '=', creatorId)
    .where('follower_id', '=', followerId)
    .executeTakeFirst()

/** Adds a follow. Returns undefined if it already exists. */
export async function addFollow(tx: Tx, pair: Pair, now: Date): Promise<FollowRow | undefined> {
  const added = await tx
    .insertInto('follows')
    .values({ id: randomUUID(), creator_id: pair.creatorId, follower_id: pair.followerId, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (added) await countFollow(tx, pair, 1)
  return added
}

export async function removeFollow(tx: Tx, pair: Pair): Promise<void> {
  const removed = await tx
    .deleteFrom('follows')
    .where('creator_id', '=', pair.creatorId)
    .where('follower_id', '=', pair.followerId)
    .returning('id')
    .executeTakeFirst()
  if (removed) await countFollow(tx, pair, -1)
}

export async function hasFollowers(tx: Tx, creatorId: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM follows WHERE creator_id = ${creatorId} LIMIT 1`.execute(tx)
  return rows.length > 0
}

export const findOwnFollow = (db: Db | Tx, followerId: string, id: string): Promise<FollowRow | undefined> =>
  db.selectFrom('follows').selectAll().where('id', '=', id).where('follower_id', '=', followerId).executeTakeFirst()

export type FollowChange = {
  readonly [Name in 'notify_new_posts' | 'notify_channel_email' | 'notify_channel_inapp']?: boolean | undefined
}

export const changeOwnFollow = (
  tx: Tx,
  followerId: string,
  id: string,
  change: FollowChange,
): Promise<FollowRow | undefined> =>
  tx
    .updateTable('follows')
    .set(change)
    .where('id', '=', id)
    .where('follower_id', '=', followerId)
    .returningAll()
    .executeTakeFirst()
