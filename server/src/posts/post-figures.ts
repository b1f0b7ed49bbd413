import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'

/**
 * Locks a post's figures, creating the row if needed. Always before locking the post and its comments (decision 14).
 */
export async function lockPostFigures(tx: Tx, postId: string): Promise<void> {
  const lock = async () => (await sql`SELECT FROM post_figures WHERE post_id = ${postId} FOR UPDATE`.execute(tx)).rows
  if ((await lock()).length > 0) return
  await sql`INSERT INTO post_figures (post_id) VALUES (${postId}) ON CONFLICT DO NOTHING`.execute(tx)
  await lock()
}
