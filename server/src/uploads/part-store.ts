import { type ColumnType, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { expiryCutoff } from './safety.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    upload_parts: PartTable
  }
}

interface PartTable {
  operation_id: string
  number: number
  length: number
  generation: ColumnType<number, undefined, number>
  state: ColumnType<'waiting' | 'authorized' | 'stored', undefined, 'waiting' | 'authorized' | 'stored'>
  checksum: ColumnType<string | null, undefined, string | null>
  object_key: ColumnType<string | null, undefined, string | null>
}

export type Part = Selectable<PartTable>

/** Adds the rows of an upload's parts: all have the same size, except a smaller last one. */
export async function addParts(tx: Tx, operationId: string, sizeBytes: number, partBytes: number): Promise<void> {
  const lengths: number[] = []
  for (let left = sizeBytes; left > 0; left -= partBytes) lengths.push(Math.min(left, partBytes))
  const rows = lengths.map((length, index) => ({ operation_id: operationId, number: index + 1, length }))
  await tx.insertInto('upload_parts').values(rows).execute()
}

export const listParts = (db: Db | Tx, operationIds: readonly string[]): Promise<Part[]> =>
  operationIds.length === 0
    ? Promise.resolve([])
    : db.selectFrom('upload_parts').selectAll().where('operation_id', 'in', operationIds).orderBy('number').execute()

export const findPart = (db: Db | Tx, operationId: string, number: number): Promise<Part | undefined> =>
  db
    .selectFrom('upload_parts')
    .selectAll()
    .where('operation_id', '=', operationId)
    .where('number', '=', number)
    .executeTakeFirst()

/** Authorizes a part under a new generation, which invalidates every capability issued before. */
export const authorizePart = (tx: Tx, operationId: string, number: number): Promise<Part | undefined> =>
  tx
    .updateTable('upload_parts')
    .set((column) => ({ state: 'authorized' as const, generation: column('generation', '+', 1) }))
    .where('operation_id', '=', operationId)
    .where('number', '=', number)
    .where('state', '<>', 'stored')
    .returningAll()
    .executeTakeFirst()

/**
 * Records a part's stored bytes and the upload's progress. Returns false if another request recorded its bytes first, if
 * the part was authorized again meanwhile, or if the upload is no longer receiving.
 */
export async function recordPart(
  db: Db,
  { operation_id, number, generation }: Part,
  stored: { readonly checksum: number; readonly key: string },
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    WITH live AS (
      SELECT id FROM upload_operations
      WHERE id = ${operation_id} AND state = 'receiving' AND progress_at > ${expiryCutoff(now)} FOR UPDATE),
    recorded AS (
      UPDATE upload_parts SET state = 'stored', checksum = ${stored.checksum}, object_key = ${stored.key} FROM live
      WHERE operation_id = live.id AND number = ${number} AND generation = ${generation} AND upload_parts.state = 'authorized'
      RETURNING operation_id)
    UPDATE upload_operations SET progress_at = ${now} FROM recorded WHERE id = recorded.operation_id RETURNING id`.execute(
    db,
  )
  return rows.length > 0
}

/** Makes lost parts wait for their bytes again, and invalidates the capabilities issued for them. */
export async function resetLostParts(tx: Tx, operationId: string, keys: readonly string[]): Promise<void> {
  await tx
    .updateTable('upload_parts')
    .set((column) => ({
      state: 'waiting' as const,
      generation: column('generation', '+', 1),
      checksum: null,
      object_key: null,
    }))
    .where('operation_id', '=', operationId)
    .where('object_key', 'in', keys)
    .execute()
}

export async function deletePartObjects(tx: Tx, operationId: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await tx
    .updateTable('upload_parts')
    .set({ object_key: null })
    .where('operation_id', '=', operationId)
    .where('object_key', 'in', keys)
    .execute()
}
