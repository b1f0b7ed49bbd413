import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import type { TargetKind } from './operation-store.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    incident_holds: HoldTable
  }
}

interface HoldTable {
  id: string
  operation_id: string
  source: 'screening' | 'administrator'
  reason: string
  placed_by: string | null
  placed_at: Date
  cleared_by: string | null
  cleared_at: Date | null
}

export interface Hold extends Selectable<HoldTable> {
  readonly account_id: string
  readonly target_kind: TargetKind
  readonly target_id: string
}

export interface NewHold {
  readonly operationId: string
  readonly source: HoldTable['source']
  readonly reason: string
  readonly placedBy: string | null
  readonly now: Date
}

/** Returns the new hold's id, or undefined if the operation already has an open hold. */
export async function addHold(tx: Tx, hold: NewHold): Promise<string | undefined> {
  const added = await tx
    .insertInto('incident_holds')
    .values({
      id: randomUUID(),
      operation_id: hold.operationId,
      source: hold.source,
      reason: hold.reason,
      placed_by: hold.placedBy,
      placed_at: hold.now,
      cleared_by: null,
      cleared_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return added?.id
}

/** Returns undefined if the hold was already cleared. */
export const endHold = (tx: Tx, id: string, clearedBy: string, now: Date) =>
  tx
    .updateTable('incident_holds')
    .set({ cleared_by: clearedBy, cleared_at: now })
    .where('id', '=', id)
    .where('cleared_at', 'is', null)
    .returningAll()
    .executeTakeFirst()

const shown = sql`SELECT hold.*, operation.account_id, operation.target_kind, operation.target_id
  FROM incident_holds hold JOIN upload_operations operation ON operation.id = hold.operation_id`

export async function findHold(db: Db | Tx, id: string): Promise<Hold | undefined> {
  const { rows } = await sql<Hold>`${shown} WHERE hold.id = ${id}`.execute(db)
  return rows[0]
}

export async function findOpenHold(db: Db | Tx, operationId: string): Promise<Hold | undefined> {
  const { rows } =
    await sql<Hold>`${shown} WHERE hold.operation_id = ${operationId} AND hold.cleared_at IS NULL`.execute(db)
  return rows[0]
}

export async function listHoldPage(db: Db, isOpen: boolean | undefined, limit: number, offset: number) {
  const which = isOpen === undefined ? sql`true` : sql`(hold.cleared_at IS NULL) = ${isOpen}`
  const { rows } =
    await sql<Hold>`${shown} WHERE ${which} ORDER BY hold.placed_at DESC, hold.id LIMIT ${limit} OFFSET ${offset}`.execute(
      db,
    )
  const counted = await sql<{
    total: number
  }>`SELECT count(*)::int AS total FROM incident_holds hold WHERE ${which}`.execute(db)
  return { holds: rows, total: counted.rows[0]!.total }
}
