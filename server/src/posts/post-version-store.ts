import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import type { PostRow } from './post-store.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    post_versions: PostVersionTable
  }
}

interface PostVersionTable {
  id: string
  post_id: string
  kind: 'edit' | 'publish'
  title: string
  description: string
  free_markdown: string
  paid_markdown: string
  created_at: Date
  /** The key that had written the post when it was like this. */
  written_by_key: string | null
}

export type PostVersionRow = Selectable<PostVersionTable>

const minutesApart = 5
const maxVersions = 50
const maxBytes = 4_000_000

/**
 * Saves the current state of a post as a version, before it changes or when it is published. Edits of one writer within
 * five minutes share one version; edits of another writer in between get their own. The caller holds the lock on the post
 * and has not changed it yet.
 */
export async function keepVersion(tx: Tx, post: PostRow, kind: PostVersionTable['kind']): Promise<void> {
  if (post.free_markdown === '' && post.paid_markdown === '') return
  const createdAt = new Date(Number(BigInt(post.updated_us) / 1000n))
  const last = await findLastVersion(tx, post.id)
  const isSoon = last && createdAt.getTime() - last.created_at.getTime() < minutesApart * 60_000
  if (isSoon && kind === 'edit' && last.written_by_key === post.written_by_key) return
  if (last && kind === last.kind && isSame((await findVersion(tx, post.id, last.id))!, post)) return
  // Copied from the locked row, because the texts would have to be sent and compressed again.
  await sql`
    INSERT INTO post_versions (id, post_id, kind, title, description, free_markdown, paid_markdown, created_at, written_by_key)
    SELECT ${randomUUID()}, id, ${kind}, title, description, free_markdown, paid_markdown, ${createdAt}, written_by_key
    FROM posts WHERE id = ${post.id}`.execute(tx)
  const { free_markdown, paid_markdown } = post
  const bytes = Number(last?.bytes ?? 0) + Buffer.byteLength(free_markdown) + Buffer.byteLength(paid_markdown)
  if (last && (last.versions >= maxVersions || bytes > maxBytes)) await removeOldVersions(tx, post.id)
}

interface LastVersion extends Pick<PostVersionRow, 'id' | 'kind' | 'created_at' | 'written_by_key'> {
  /** How many versions the post has, and the length of all their texts. */
  readonly versions: number
  readonly bytes: string
}

async function findLastVersion(tx: Tx, postId: string): Promise<LastVersion | undefined> {
  const { rows } = await sql<LastVersion>`
    SELECT id, kind, created_at, written_by_key, count(*) OVER ()::int AS versions,
      sum(octet_length(free_markdown) + octet_length(paid_markdown)) OVER () AS bytes
    FROM post_versions WHERE post_id = ${postId} ORDER BY created_at DESC, id DESC LIMIT 1`.execute(tx)
  return rows[0]
}

/** Removes the oldest versions beyond the limits. The newest one always stays. */
async function removeOldVersions(tx: Tx, postId: string): Promise<void> {
  await sql`
    DELETE FROM post_versions WHERE id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER newest AS rank, sum(octet_length(free_markdown) + octet_length(paid_markdown)) OVER newest AS bytes
        FROM post_versions WHERE post_id = ${postId}
        WINDOW newest AS (ORDER BY created_at DESC, id DESC)
      ) AS ranked
      WHERE rank > ${maxVersions} OR (rank > 1 AND bytes > ${maxBytes})
    )`.execute(tx)
}

const isSame = (version: PostVersionRow, post: PostRow): boolean =>
  (['title', 'description', 'free_markdown', 'paid_markdown'] as const).every((name) => version[name] === post[name])

export const listVersions = (db: Db, postId: string) =>
  db
    .selectFrom('post_versions')
    .select(['id', 'kind', 'title', 'created_at', 'written_by_key'])
    .select(sql<number>`length(free_markdown) + length(paid_markdown)`.as('characters'))
    .where('post_id', '=', postId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()

export const findVersion = (db: Db | Tx, postId: string, id: string): Promise<PostVersionRow | undefined> =>
  db.selectFrom('post_versions').selectAll().where('post_id', '=', postId).where('id', '=', id).executeTakeFirst()
