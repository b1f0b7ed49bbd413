import { type ColumnType, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { TimePosition } from '../platform/cursor.ts'
import type { Db, Tx } from '../platform/database/database.ts'
import { type UploadMove, type UploadState, uploadMoves } from './upload-state.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    upload_operations: OperationTable
  }
}

export type ProfileImageKind = 'avatar' | 'header'
export type ImageKind = 'inline' | 'og' | ProfileImageKind
export type TargetKind = ImageKind | 'attachment'

/** True if the target is a profile. All other uploads belong to a post. */
export const isProfileImage = (kind: TargetKind): kind is ProfileImageKind => kind === 'avatar' || kind === 'header'

type Defaulted<Value> = ColumnType<Value, Value | undefined, Value>

interface OperationTable {
  id: string
  account_id: string
  target_kind: TargetKind
  target_id: string
  target_key: string
  request_key: string
  fingerprint: Buffer
  generation: number
  state: Defaulted<UploadState>
  ended_by: Defaulted<'owner' | 'newer' | 'expiry' | 'post' | null>
  desired: Defaulted<boolean>
  size_bytes: ColumnType<string, number, never>
  sha256: string
  content_type: string
  received_key: Defaulted<string | null>
  received_at: Defaulted<Date | null>
  bytes_seen_at: Defaulted<Date | null>
  media_key: Defaulted<string | null>
  media_type: Defaulted<string | null>
  media_extension: Defaulted<string | null>
  media_bytes: ColumnType<string | null, number | undefined, number | null>
  media_sha256: Defaulted<string | null>
  associated_at: Defaulted<Date | null>
  policy_version: string
  import_id: Defaulted<string | null>
  csam_coverage: Defaulted<'complete' | 'partial' | null>
  last_error: Defaulted<string | null>
  reupload_allowed: Defaulted<boolean>
  checks_begun: Defaulted<number>
  screener_absences: Defaulted<number>
  next_check_at: Defaulted<Date | null>
  cleanup_state: Defaulted<'none' | 'queued' | 'done' | 'retained'>
  cleanup_attempts: Defaulted<number>
  cleanup_next_at: Defaulted<Date | null>
  cleanup_error: Defaulted<string | null>
  created_at: Date
  progress_at: Date
}

export type Operation = Selectable<OperationTable>
export type OperationChange = Omit<Updateable<OperationTable>, 'id' | 'account_id' | 'state'>

/** The target of an upload. */
export interface Target {
  readonly accountId: string
  readonly kind: TargetKind
  readonly id: string
  readonly key: string
}

const ofTarget = (db: Db | Tx, target: Target) =>
  db
    .selectFrom('upload_operations')
    .where('account_id', '=', target.accountId)
    .where('target_kind', '=', target.kind)
    .where('target_id', '=', target.id)
    .where('target_key', '=', target.key)

export const findByRequestKey = (db: Db | Tx, target: Target, requestKey: string): Promise<Operation | undefined> =>
  ofTarget(db, target).selectAll().where('request_key', '=', requestKey).executeTakeFirst()

/** The next generation number for a target. The caller holds the account's lock, so no two uploads get the same one. */
export async function nextGeneration(tx: Tx, target: Target): Promise<number> {
  const last = await ofTarget(tx, target)
    .select((select) => select.fn.max('generation').as('generation'))
    .executeTakeFirst()
  return (last?.generation ?? 0) + 1
}

export const addOperation = (tx: Tx, operation: Insertable<OperationTable>): Promise<Operation> =>
  tx.insertInto('upload_operations').values(operation).returningAll().executeTakeFirstOrThrow()

export const findOperation = (db: Db | Tx, id: string): Promise<Operation | undefined> =>
  db.selectFrom('upload_operations').selectAll().where('id', '=', id).executeTakeFirst()

export const findOwnOperation = (db: Db | Tx, accountId: string, id: string): Promise<Operation | undefined> =>
  db
    .selectFrom('upload_operations')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()

export const lockOperation = (tx: Tx, id: string): Promise<Operation | undefined> =>
  tx.selectFrom('upload_operations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** Returns undefined if the operation's state does not allow the move. */
export function moveOperation(
  tx: Db | Tx,
  id: string,
  move: UploadMove,
  change: OperationChange = {},
): Promise<Operation | undefined> {
  const { from, to } = uploadMoves[move]
  return tx
    .updateTable('upload_operations')
    .set({ ...change, state: to })
    .where('id', '=', id)
    .where('state', 'in', from)
    .returningAll()
    .executeTakeFirst()
}

export async function changeOperation(tx: Db | Tx, id: string, change: OperationChange): Promise<void> {
  await tx.updateTable('upload_operations').set(change).where('id', '=', id).execute()
}

/** Marks an operation as no longer wanted, in any state. Returns undefined if it already was. */
export const markUndesired = (tx: Tx, id: string): Promise<Operation | undefined> =>
  tx
    .updateTable('upload_operations')
    .set({ desired: false })
    .where('id', '=', id)
    .where('desired', '=', true)
    .returningAll()
    .executeTakeFirst()

/** Lists earlier uploads for the same target, newest first. */
export const listEarlier = (tx: Tx, { account_id, target_kind, target_id, target_key, generation }: Operation) =>
  ofTarget(tx, { accountId: account_id, kind: target_kind, id: target_id, key: target_key })
    .selectAll()
    .where('generation', '<', generation)
    .orderBy('generation', 'desc')
    .execute()

/** An operation together with what else decides whether it is shown: newer uploads, holds and the saved post. */
export interface OperationDetails extends Operation {
  readonly current_generation: number
  readonly held: boolean
  readonly post_updated_us: string | null
  /** True if the saved post refers to this inline image. */
  readonly post_has_key: boolean
}

const selectDetails = sql<OperationDetails>`
  SELECT operation.*, post.updated_us AS post_updated_us,
    operation.target_kind = 'inline' AND post.id IS NOT NULL AND
      strpos(post.free_html || post.paid_html, 'data-image-key="' || operation.target_key || '"') > 0 AS post_has_key,
    EXISTS (SELECT FROM incident_holds hold WHERE hold.operation_id = operation.id AND hold.cleared_at IS NULL) AS held,
    CASE WHEN operation.target_kind = 'attachment' THEN operation.generation ELSE
      (SELECT max(newer.generation) FROM upload_operations newer WHERE newer.target_kind = operation.target_kind
        AND newer.target_id = operation.target_id AND newer.target_key = operation.target_key) END AS current_generation
  FROM upload_operations operation
  LEFT JOIN posts post ON post.id = operation.target_id AND post.account_id = operation.account_id`

export async function findOperationDetails(
  db: Db | Tx,
  accountId: string,
  id: string,
): Promise<OperationDetails | undefined> {
  const { rows } =
    await sql<OperationDetails>`${selectDetails} WHERE operation.id = ${id} AND operation.account_id = ${accountId}`.execute(
      db,
    )
  return rows[0]
}

export async function findDetailsByRequestKey(
  db: Db,
  target: Target,
  requestKey: string,
): Promise<OperationDetails | undefined> {
  const found = await findByRequestKey(db, target, requestKey)
  return found && findOperationDetails(db, target.accountId, found.id)
}

/** Lists image uploads for a post or a profile, newest first. */
export async function listImageDetails(
  db: Db,
  accountId: string,
  targetId: string,
  limit: number,
  after: TimePosition | undefined,
): Promise<OperationDetails[]> {
  const isAfter = after
    ? sql`operation.created_at <= ${after.at} AND (operation.created_at < ${after.at} OR operation.id > ${after.id})`
    : sql`true`
  const { rows } = await sql<OperationDetails>`${selectDetails}
    WHERE operation.account_id = ${accountId} AND operation.target_id = ${targetId} AND operation.target_kind <> 'attachment'
      AND ${isAfter} ORDER BY operation.created_at DESC, operation.id LIMIT ${limit}`.execute(db)
  return rows
}

export const isHeld = async (tx: Db | Tx, id: string): Promise<boolean> =>
  (await sql`SELECT FROM incident_holds WHERE operation_id = ${id} AND cleared_at IS NULL`.execute(tx)).rows.length > 0
