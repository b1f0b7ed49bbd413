import { type Generated, type Selectable, sql } from 'kysely'
import type { TimePosition } from '../platform/cursor.ts'
import type { Db, Tx } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    gift_links: GiftLinkTable
  }
}

interface GiftLinkTable {
  id: string
  post_id: string
  created_at: Date
  disabled_at: Date | null
  uses: Generated<number>
}

export type GiftLinkRow = Selectable<GiftLinkTable>

export const findActiveLink = (db: Db | Tx, postId: string): Promise<GiftLinkRow | undefined> =>
  db
    .selectFrom('gift_links')
    .selectAll()
    .where('post_id', '=', postId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()

export interface ListedLinkRow extends GiftLinkRow {
  readonly title: string
  readonly status: 'published' | 'withdrawn'
}

/** The gift links of an author that are not disabled, newest first, after a position if one is given. */
export async function listActiveLinks(
  db: Db,
  accountId: string,
  after: TimePosition | undefined,
  limit: number,
): Promise<ListedLinkRow[]> {
  const { rows } = await sql<ListedLinkRow>`
    SELECT link.*, post.title, post.status FROM posts post JOIN gift_links link ON link.post_id = post.id
    WHERE post.account_id = ${accountId} AND post.status <> 'draft' AND link.disabled_at IS NULL
      AND (link.created_at, link.id) < (${after?.at ?? 'infinity'}::timestamptz, ${after?.id ?? null}::uuid)
    ORDER BY link.created_at DESC, link.id DESC LIMIT ${limit}`.execute(db)
  return rows
}

export const addLink = (tx: Tx, link: Pick<GiftLinkRow, 'id' | 'post_id' | 'created_at'>): Promise<GiftLinkRow> =>
  tx
    .insertInto('gift_links')
    .values({ ...link, disabled_at: null })
    .returningAll()
    .executeTakeFirstOrThrow()

export const disableLink = (tx: Tx, postId: string, now: Date): Promise<unknown> =>
  tx
    .updateTable('gift_links')
    .set({ disabled_at: now })
    .where('post_id', '=', postId)
    .where('disabled_at', 'is', null)
    .execute()

export const countUse = (db: Db, id: string): Promise<unknown> =>
  db.updateTable('gift_links').set({ uses: sql`uses + 1` }).where('id', '=', id).execute()
