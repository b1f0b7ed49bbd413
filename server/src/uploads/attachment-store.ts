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
  /** When it was taken off its Post. */
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

/** An attachment of this account on this Post. */
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

/** What a Post has, and what is being cleaned up, in the order it was reserved. */
export const listOwnAttachments = (db: Db, accountId: string, postId: string): Promise<AttachmentRow[]> =>
  db
    .selectFrom('attachments')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('post_id', '=', postId)
    .where('state', '<>', 'removed')
    .orderBy('position')
    .execute()

/** No row back means that the attachment is not in a state that allows the move. */
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

/** Whether somebody paid for the Post: what they paid for stays where they can get it. */
export async function wasSold(tx: Tx, postId: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM post_figures WHERE post_id = ${postId} AND sales_count > 0`.execute(tx)
  return rows.length > 0
}
