import type { Comment } from '@pennypost/contract/comments'
import type { MentionProfile } from '@pennypost/contract/mention'
import type pg from 'pg'
import { personView } from '../accounts/person-view.ts'
import { readRows, type Statement } from '../platform/database/database.ts'
import type { Log } from '../platform/log.ts'
import type { CommentRow } from './comment-store.ts'
import { summaryView } from './reaction-view.ts'

interface MentionedRow {
  readonly id: string
  readonly handle: string
  readonly name: string
  readonly avatar_url: string | null
  readonly is_deleted: boolean
}

const mentionedPeople: Statement<MentionedRow> = {
  name: 'mentioned-people',
  text: `SELECT account.id, account.handle, account.name, profile.avatar_url, account.deleted_at IS NOT NULL AS is_deleted
    FROM accounts account LEFT JOIN profiles profile ON profile.account_id = account.id WHERE account.id = ANY($1)`,
}

interface Parts {
  readonly pool: pg.Pool
  readonly log: Log
}

/** Comments for the wire, with the current names of the people they mention. */
export async function commentViews(parts: Parts, rows: readonly CommentRow[], origin: string): Promise<Comment[]> {
  const people = await presentPeople(parts, rows, origin)
  return rows.map((row) => commentView(row, people, origin))
}

// Null for a deleted account. If this fails, the comments are shown without the people they mention.
async function presentPeople(
  { pool, log }: Parts,
  rows: readonly CommentRow[],
  origin: string,
): Promise<Map<string, MentionProfile | null>> {
  const ids = new Set(rows.flatMap(({ mentions }) => mentions.map(({ profileId }) => profileId)))
  if (ids.size === 0) return new Map()
  try {
    const found = await readRows(pool, mentionedPeople, [[...ids]])
    return new Map(
      found.map(({ id, handle, name, avatar_url, is_deleted }) => [
        id,
        is_deleted
          ? null
          : { profileId: id, currentHandle: handle, name, avatarUrl: avatar_url && origin + avatar_url },
      ]),
    )
  } catch (error) {
    log.warn({ cause: error instanceof Error ? error.message : error }, 'mentioned people could not be shown')
    return new Map()
  }
}

function commentView(row: CommentRow, people: ReadonlyMap<string, MentionProfile | null>, origin: string): Comment {
  const isRoot = row.thread_root_id === row.id
  return {
    id: row.id,
    post_id: row.post_id,
    parent_comment_id: isRoot ? null : row.thread_root_id,
    reply_target_comment_id: row.reply_target_id,
    thread_root_id: row.thread_root_id,
    depth: isRoot ? 0 : 1,
    content: row.content,
    created_at: row.created_at.toISOString(),
    deleted_at: row.deleted_at?.toISOString() ?? null,
    deleted_by_role: row.deleted_by_role,
    author: personView(row, origin),
    has_purchased: row.has_purchased,
    reactions: summaryView(row),
    tip_total_raw: row.tip_total_raw,
    tip_total_atomic: row.tip_total_atomic,
    reply_count: row.reply_count,
    // A deleted account has no handle.
    mentions: row.mentions.filter(({ profileId }) => people.get(profileId) !== null),
    mentionProfiles: row.mentions.flatMap(({ profileId }) => people.get(profileId) ?? []),
  }
}
