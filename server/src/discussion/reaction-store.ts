import type { Reaction } from '@pennypost/contract/reaction-summary'
import { sql } from 'kysely'
import type pg from 'pg'
import { type PersonRow, personColumns, personJoin } from '../accounts/person-view.ts'
import { readRows, type Statement, type Tx } from '../platform/database/database.ts'
import { countPostReactions } from '../posts/post-figures.ts'
import type { Viewer } from './comment-store.ts'
import type { ReactionCounts, SummaryRow } from './reaction-view.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    post_reactions: ReactionTable & { post_id: string }
    comment_reactions: ReactionTable & { comment_id: string }
  }
}

interface ReactionTable {
  account_id: string
  reaction: Reaction
  created_at: Date
}

export interface ReactorRow extends PersonRow {
  readonly reaction: Reaction
  readonly created_at: Date
}

/** Where reactions to a post or a comment are stored, and how they are counted. */
export interface ReactionTarget {
  readonly reactions: 'post_reactions' | 'comment_reactions'
  readonly idColumn: 'post_id' | 'comment_id'
  /** Counts how many more or fewer people react in each way. Returns how many do. */
  readonly count: (tx: Tx, id: string, change: ReactionCounts) => Promise<ReactionCounts>
  readonly summary: Statement<SummaryRow>
  readonly reactors: Statement<ReactorRow>
}

const reactorsIn = (reactions: string, idColumn: string): Statement<ReactorRow> => ({
  name: `reactors-in-${reactions}`,
  text: `SELECT reacted.reaction, reacted.created_at, ${personColumns} FROM ${reactions} reacted ${personJoin('reacted.account_id')}
    WHERE reacted.${idColumn} = $1 AND reacted.reaction = $2
    ORDER BY reacted.created_at DESC, reacted.account_id LIMIT $3 OFFSET $4`,
})

/** Reactions to a public post. A new post has no row of figures yet, so counts default to 0. */
export const postTarget: ReactionTarget = {
  reactions: 'post_reactions',
  idColumn: 'post_id',
  count: countPostReactions,
  summary: {
    name: 'reactions-to-post',
    text: `SELECT coalesce(figures.thumbs_up, 0) AS thumbs_up, coalesce(figures.heart, 0) AS heart,
        coalesce(figures.fire, 0) AS fire, coalesce(figures.clap, 0) AS clap, mine.reaction AS viewer_reaction
      FROM posts post LEFT JOIN post_figures figures ON figures.post_id = post.id
      LEFT JOIN post_reactions mine ON mine.post_id = post.id AND mine.account_id = $1
      WHERE post.id = $2 AND post.status = 'published'`,
  },
  reactors: reactorsIn('post_reactions', 'post_id'),
}

/** Reactions to a comment on a public post, even if the comment is deleted. */
export const commentTarget: ReactionTarget = {
  reactions: 'comment_reactions',
  idColumn: 'comment_id',
  count: countCommentReactions,
  summary: {
    name: 'reactions-to-comment',
    text: `SELECT comment.thumbs_up, comment.heart, comment.fire, comment.clap, mine.reaction AS viewer_reaction
      FROM comments comment JOIN posts post ON post.id = comment.post_id AND post.status = 'published'
      LEFT JOIN comment_reactions mine ON mine.comment_id = comment.id AND mine.account_id = $1
      WHERE comment.id = $2`,
  },
  reactors: reactorsIn('comment_reactions', 'comment_id'),
}

export const findSummary = async (
  pool: pg.Pool,
  target: ReactionTarget,
  viewer: Viewer,
  id: string,
): Promise<SummaryRow | undefined> => (await readRows(pool, target.summary, [viewer, id]))[0]

export const listReactorRows = (
  pool: pg.Pool,
  target: ReactionTarget,
  id: string,
  { reaction, limit, offset }: { reaction: Reaction; limit: number; offset: number },
): Promise<ReactorRow[]> => readRows(pool, target.reactors, [id, reaction, limit, offset])

interface LockedComment {
  readonly post_id: string
  readonly deleted_at: Date | null
}

/** Locks a comment on a public post. */
export async function lockComment(tx: Tx, id: string): Promise<LockedComment | undefined> {
  const { rows } = await sql<LockedComment>`
    SELECT comment.post_id, comment.deleted_at FROM comments comment JOIN posts post ON post.id = comment.post_id
    WHERE comment.id = ${id} AND post.status = 'published' FOR NO KEY UPDATE OF comment`.execute(tx)
  return rows[0]
}

/**
 * Saves or removes an account's reaction and updates the counts. The caller has locked the counted row, so they stay
 * exact.
 */
export async function saveReaction(
  tx: Tx,
  target: ReactionTarget,
  id: string,
  { accountId, reaction, now }: { accountId: string; reaction: Reaction | null; now: Date },
): Promise<ReactionCounts> {
  const table = sql.table(target.reactions)
  const key = sql.ref(target.idColumn)
  const { rows: before } = await sql<{ reaction: Reaction }>`
    SELECT reaction FROM ${table} WHERE ${key} = ${id} AND account_id = ${accountId}`.execute(tx)
  const was = before[0]?.reaction ?? null
  if (was !== reaction) {
    await (reaction === null
      ? sql`DELETE FROM ${table} WHERE ${key} = ${id} AND account_id = ${accountId}`
      : sql`INSERT INTO ${table} (${key}, account_id, reaction, created_at) VALUES (${id}, ${accountId}, ${reaction}, ${now})
          ON CONFLICT (${key}, account_id) DO UPDATE SET reaction = excluded.reaction, created_at = excluded.created_at`
    ).execute(tx)
  }
  const change = (name: Reaction) => Number(reaction === name) - Number(was === name)
  return target.count(tx, id, {
    thumbs_up: change('thumbs_up'),
    heart: change('heart'),
    fire: change('fire'),
    clap: change('clap'),
  })
}

async function countCommentReactions(tx: Tx, id: string, change: ReactionCounts): Promise<ReactionCounts> {
  const { rows } = await sql<ReactionCounts>`
    UPDATE comments SET thumbs_up = thumbs_up + ${change.thumbs_up}, heart = heart + ${change.heart},
      fire = fire + ${change.fire}, clap = clap + ${change.clap}
    WHERE id = ${id} RETURNING thumbs_up, heart, fire, clap`.execute(tx)
  return rows[0]!
}
