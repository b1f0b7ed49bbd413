import type { Selectable } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    continuations: ContinuationTable
  }
}

interface ContinuationTable {
  id: string
  email: string
  created_at: Date
  expires_at: Date
  used_at: Date | null
  invitation_id: string | null
}

export type Continuation = Selectable<ContinuationTable>

export async function addContinuation(tx: Tx, continuation: Continuation): Promise<void> {
  await tx.insertInto('continuations').values(continuation).execute()
}

export const findContinuation = (db: Db, id: string): Promise<Continuation | undefined> =>
  db.selectFrom('continuations').selectAll().where('id', '=', id).executeTakeFirst()

export const lockContinuation = (tx: Tx, id: string): Promise<Continuation | undefined> =>
  tx.selectFrom('continuations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export async function useContinuation(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable('continuations').set({ used_at: now }).where('id', '=', id).execute()
}
