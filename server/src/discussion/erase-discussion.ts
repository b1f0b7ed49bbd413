import { sql } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/database/database.ts'
import { faultPoint } from '../platform/fault-point.ts'
import { lockPostFigures } from '../posts/post-figures.ts'
import { commentTarget, postTarget, saveReaction } from './reaction-store.ts'
import { removeComment } from './remove-comment.ts'

interface Parts {
  readonly db: Db
  readonly clock: Clock
}

const batchSize = 200

/** Takes back the reactions of a deleted account and erases its comments. Threads keep their shape. */
export async function eraseDiscussion({ db, clock }: Parts, accountId: string): Promise<void> {
  const noReaction = { accountId, reaction: null, now: clock.now() }
  await eachOf(db, sql`SELECT post_id AS id FROM post_reactions WHERE account_id = ${accountId}`, (id) =>
    db.transaction().execute(async (tx) => {
      await lockPostFigures(tx, id)
      await saveReaction(tx, postTarget, id, noReaction)
    }),
  )
  await eachOf(db, sql`SELECT comment_id AS id FROM comment_reactions WHERE account_id = ${accountId}`, (id) =>
    db.transaction().execute(async (tx) => {
      await sql`SELECT FROM comments WHERE id = ${id} FOR NO KEY UPDATE`.execute(tx)
      await saveReaction(tx, commentTarget, id, noReaction)
    }),
  )
  const written = sql`SELECT id, post_id FROM comments WHERE author_id = ${accountId} AND (deleted_at IS NULL OR content <> '')`
  await eachOf(db, written, async (id, postId) => {
    await db.transaction().execute(async (tx) => {
      await removeComment(tx, clock, { id, post_id: postId! }, 'author')
      await sql`UPDATE comments SET content = '', mentions = '[]' WHERE id = ${id}`.execute(tx)
    })
    faultPoint('comment-erased')
  })
}

/**
 * Calls a function for each row that a query finds, until it finds none. The function must make the query no longer find
 * the row.
 */
async function eachOf(
  db: Db,
  query: ReturnType<typeof sql>,
  act: (id: string, postId: string | undefined) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ id: string; post_id?: string }>`${query} LIMIT ${batchSize}`.execute(db)
    if (rows.length === 0) return
    for (const { id, post_id } of rows) await act(id, post_id)
  }
}
