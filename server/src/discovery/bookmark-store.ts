import { sql } from 'kysely'
import type pg from 'pg'
import type { TimePosition } from '../platform/cursor.ts'
import { type Db, readRows, type Statement } from '../platform/database/database.ts'

interface Saved {
  readonly created_at: Date
}

const bookmark: Statement<Saved> = {
  name: 'bookmark',
  text: 'SELECT created_at FROM bookmarks WHERE account_id = $1 AND post_id = $2',
}

/** When an account saved a post. */
export const findBookmark = async (pool: pg.Pool, accountId: string, postId: string): Promise<Date | undefined> =>
  (await readRows(pool, bookmark, [accountId, postId]))[0]?.created_at

const newBookmark: Statement<Saved> = {
  name: 'add-bookmark',
  // The update changes nothing, but returns the row that another request may have added just now.
  text: `INSERT INTO bookmarks (account_id, post_id, created_at)
      SELECT $1, id, $3 FROM posts WHERE id = $2 AND status = 'published'
    ON CONFLICT (account_id, post_id) DO UPDATE SET created_at = bookmarks.created_at RETURNING created_at`,
}

/** Saves a published post and returns when it was saved first. Undefined if the post is not public. */
export const saveBookmark = async (
  pool: pg.Pool,
  accountId: string,
  postId: string,
  now: Date,
): Promise<Date | undefined> => (await readRows(pool, newBookmark, [accountId, postId, now]))[0]?.created_at

const oldBookmark: Statement<never> = {
  name: 'delete-bookmark',
  text: 'DELETE FROM bookmarks WHERE account_id = $1 AND post_id = $2',
}

export const deleteBookmark = async (pool: pg.Pool, accountId: string, postId: string): Promise<void> => {
  await readRows(pool, oldBookmark, [accountId, postId])
}

interface BookmarkRow extends Saved {
  readonly post_id: string
}

const bookmarks: Statement<BookmarkRow> = {
  name: 'bookmarks',
  text: `SELECT saved.post_id, saved.created_at FROM bookmarks saved
      JOIN posts post ON post.id = saved.post_id AND post.status = 'published'
    WHERE saved.account_id = $1 AND (saved.created_at, saved.post_id) < ($2, $3::uuid)
    ORDER BY saved.created_at DESC, saved.post_id DESC LIMIT $4`,
}

/** The published posts that an account saved, after a position, last saved first. */
export const listSaved = (
  pool: pg.Pool,
  accountId: string,
  after: TimePosition | undefined,
  limit: number,
): Promise<BookmarkRow[]> =>
  readRows(pool, bookmarks, [
    accountId,
    after?.at ?? 'infinity',
    after?.id ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    limit,
  ])

/** Deletes what a deleted account has saved. */
export const eraseBookmarks = (db: Db, accountId: string): Promise<unknown> =>
  sql`DELETE FROM bookmarks WHERE account_id = ${accountId}`.execute(db)
