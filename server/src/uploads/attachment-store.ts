import { type ColumnType, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { type AttachmentMove, type AttachmentState, attachmentMoves } from './upload-state.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    attachments: AttachmentTable
  }
}

interface AttachmentTable {
  id: string
  operation_id: string
  account_id: string
  post_id: string
  filename: string
  description: string
  state: ColumnType<AttachmentState, AttachmentState | undefined, AttachmentState>
  is_legacy: boolean
  contents: ColumnType<string[] | null, string | undefined, string>
  association_conflict: ColumnType<string | null, string | undefined, string | null>
  retention_reason: ColumnType<'financial-history-retained' | null, undefined, 'financial-history-retained' | null>
  /** When it was removed from its post. */
  removed_at: ColumnType<Date | null, undefined, Date>
  position: ColumnType<string, never, never>
  created_at: Date
}

export type AttachmentRow = Selectable<AttachmentTable>
export type AttachmentChange = Omit<Updateable<AttachmentTable>, 'id' | 'state'>

export const addAttachment = (tx: Tx, attachment: Insertable<AttachmentTable>): Promise<AttachmentRow> =>
  tx.insertInto('attachments').values(attachment).returningAll().executeTakeFirstOrThrow()

export const findAttachment = (db: Db | Tx, id: string): Promise<AttachmentRow | undefined> =>
  db.selectFrom('attachments').selectAll().where('id', '=', id).executeTakeFirst()

export const findAttachmentByOperation = (db: Db | Tx, operationId: string): Promise<AttachmentRow | undefined> =>
  db.selectFrom('attachments').selectAll().where('operation_id', '=', operationId).executeTakeFirst()

/** Finds an attachment by id, only if it belongs to this account and this post. */
export const findOwnAttachment = (
  db: Db | Tx,
  accountId: string,
  postId: string,
  id: string,
): Promise<AttachmentRow | undefined> =>
  db
    .selectFrom('attachments')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('post_id', '=', postId)
    .executeTakeFirst()

/** Lists a post's attachments, including those being cleaned up, in the order they were reserved. */
export const listOwnAttachments = (db: Db, accountId: string, postId: string): Promise<AttachmentRow[]> =>
  db
    .selectFrom('attachments')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('post_id', '=', postId)
    .where('state', '<>', 'removed')
    .orderBy('position')
    .execute()

/** Returns undefined if the attachment's state does not allow the move. */
export function moveAttachment(
  tx: Tx,
  id: string,
  move: AttachmentMove,
  change: AttachmentChange = {},
): Promise<AttachmentRow | undefined> {
  const { from, to } = attachmentMoves[move]
  return tx
    .updateTable('attachments')
    .set({ ...change, state: to })
    .where('id', '=', id)
    .where('state', 'in', from)
    .returningAll()
    .executeTakeFirst()
}

export async function changeAttachment(tx: Tx, id: string, change: AttachmentChange): Promise<void> {
  await tx.updateTable('attachments').set(change).where('id', '=', id).execute()
}

/** Tells whether the post was ever bought. Buyers keep access to what they paid for. */
export async function wasSold(tx: Tx, postId: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM post_figures WHERE post_id = ${postId} AND sales_count > 0`.execute(tx)
  return rows.length > 0
}
