import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import type { PostState } from './post-state.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    series: { id: string; account_id: string; title: string; created_at: Date }
  }
}

export interface SeriesRow {
  readonly id: string
  readonly title: string
  readonly created_at: Date
  readonly posts: { readonly postId: string; readonly title: string; readonly status: PostState }[]
}

/** The series of an account, oldest first, or one of them. */
export async function listOwnSeries(db: Db | Tx, accountId: string, id: string | null = null): Promise<SeriesRow[]> {
  const { rows } = await sql<SeriesRow>`
    SELECT series.id, series.title, series.created_at, coalesce((
      SELECT jsonb_agg(jsonb_build_object('postId', post.id, 'title', post.title, 'status', post.status)
        ORDER BY member.position)
      FROM series_posts member JOIN posts post ON post.id = member.post_id WHERE member.series_id = series.id), '[]') AS posts
    FROM series WHERE account_id = ${accountId} AND (${id}::uuid IS NULL OR series.id = ${id}::uuid)
    ORDER BY series.created_at, series.id`.execute(db)
  return rows
}

export async function countSeries(tx: Tx, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM series WHERE account_id = ${accountId}`.execute(tx)
  return rows[0]!.count
}

export async function addSeries(tx: Tx, accountId: string, title: string, now: Date): Promise<string> {
  const id = randomUUID()
  await tx.insertInto('series').values({ id, account_id: accountId, title, created_at: now }).execute()
  return id
}

/** Returns false if the account has no such series. */
export async function renameSeries(tx: Tx, accountId: string, id: string, title: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('series')
    .set({ title })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function removeSeries(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('series')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The first post of this list that is in another series. */
export async function findInOtherSeries(
  tx: Tx,
  seriesId: string,
  postIds: readonly string[],
): Promise<{ post_id: string; series_id: string } | undefined> {
  const { rows } = await sql<{ post_id: string; series_id: string }>`
    SELECT post_id, series_id FROM series_posts
    WHERE post_id = ANY(${postIds}::uuid[]) AND series_id <> ${seriesId} ORDER BY post_id LIMIT 1`.execute(tx)
  return rows[0]
}

export async function replaceSeriesPosts(tx: Tx, seriesId: string, postIds: readonly string[]): Promise<void> {
  await sql`DELETE FROM series_posts WHERE series_id = ${seriesId}`.execute(tx)
  await sql`
    INSERT INTO series_posts (post_id, series_id, position)
    SELECT id, ${seriesId}, place FROM unnest(${postIds}::uuid[]) WITH ORDINALITY AS wanted (id, place)`.execute(tx)
}

export async function ownsPosts(tx: Tx, accountId: string, postIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM posts WHERE account_id = ${accountId} AND id = ANY(${postIds}::uuid[])`.execute(
    tx,
  )
  return rows[0]!.count === postIds.length
}

export async function listChosenPosts(db: Db | Tx, postId: string): Promise<string[]> {
  const { rows } = await sql<{ chosen_id: string }>`
    SELECT chosen_id FROM chosen_posts WHERE post_id = ${postId} ORDER BY position`.execute(db)
  return rows.map(({ chosen_id }) => chosen_id)
}

export async function replaceChosenPosts(tx: Tx, postId: string, postIds: readonly string[]): Promise<void> {
  await sql`DELETE FROM chosen_posts WHERE post_id = ${postId}`.execute(tx)
  await sql`
    INSERT INTO chosen_posts (post_id, chosen_id, position)
    SELECT ${postId}, id, place FROM unnest(${postIds}::uuid[]) WITH ORDINALITY AS wanted (id, place)`.execute(tx)
}
