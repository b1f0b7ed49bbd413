import { importDays, importNotFound, postImportQuota } from '@pennypost/contract/imports'
import { type ColumnType, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { ImportServices } from './services.ts'

type Counted<Value> = ColumnType<Value, undefined, never>

declare module '../platform/database/tables.ts' {
  interface Tables {
    imports: ImportTable
    imported_posts: ImportedPostTable
  }
}

interface ImportTable {
  id: string
  account_id: string
  source: string
  claims_site_paths: boolean
  post_count: Counted<number>
  file_count: Counted<number>
  file_bytes: Counted<string>
  created_at: Date
}
export type ImportRow = Selectable<ImportTable>

interface ImportedPostTable {
  account_id: string
  source_id: string
  post_id: string
  fingerprint: string | null
  content_hash: Buffer
  imported_at: Date
}

const windowMs = importDays * 86_400_000

export const expiryOf = ({ created_at }: Pick<ImportRow, 'created_at'>): Date =>
  new Date(created_at.getTime() + windowMs)

export const addImport = (
  tx: Tx,
  row: Pick<ImportRow, 'id' | 'account_id' | 'source' | 'claims_site_paths' | 'created_at'>,
): Promise<ImportRow> => tx.insertInto('imports').values(row).returningAll().executeTakeFirstOrThrow()

/** Finds an import of this account that posts can still be added to. */
export async function findImport(db: Db | Tx, accountId: string, id: string, now: Date): Promise<ImportRow> {
  const found = await db
    .selectFrom('imports')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('created_at', '>', new Date(now.getTime() - windowMs))
    .executeTakeFirst()
  return found ?? refuse(importNotFound)
}

export interface ImportUse {
  readonly posts: number
  readonly files: number
  readonly fileBytes: number
}

/** The quota of imports that an account has left. */
export async function importQuotaLeft(
  db: Db | Tx,
  { config, clock }: Pick<ImportServices, 'config' | 'clock'>,
  accountId: string,
): Promise<ImportUse> {
  const { rows } = await sql<{ posts: number; files: number; bytes: string }>`
    SELECT coalesce(sum(post_count), 0)::int AS posts, coalesce(sum(file_count), 0)::int AS files,
      coalesce(sum(file_bytes), 0) AS bytes
    FROM imports WHERE account_id = ${accountId} AND created_at > ${new Date(clock.now().getTime() - windowMs)}`.execute(
    db,
  )
  const used = rows[0]!
  const { importQuota: quota } = config
  return {
    posts: Math.max(0, quota.posts - used.posts),
    files: Math.max(0, quota.files - used.files),
    fileBytes: Math.max(0, quota.fileBytes - Number(used.bytes)),
  }
}

/** Takes from the quota, or refuses. The caller has locked the account, so two requests cannot both take the last place. */
export async function takeImportQuota(
  tx: Tx,
  services: Pick<ImportServices, 'config' | 'clock'>,
  { id, account_id }: Pick<ImportRow, 'id' | 'account_id'>,
  use: ImportUse,
): Promise<void> {
  const left = await importQuotaLeft(tx, services, account_id)
  if (use.posts > left.posts || use.files > left.files || use.fileBytes > left.fileBytes)
    refuse(postImportQuota, { left })
  await sql`UPDATE imports SET post_count = post_count + ${use.posts}, file_count = file_count + ${use.files},
    file_bytes = file_bytes + ${use.fileBytes} WHERE id = ${id}`.execute(tx)
}

export const findImportedPost = (tx: Tx, accountId: string, sourceId: string) =>
  tx
    .selectFrom('imported_posts')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('source_id', '=', sourceId)
    .executeTakeFirst()

export async function isImported(tx: Tx, accountId: string, postId: string): Promise<boolean> {
  const found = await tx
    .selectFrom('imported_posts')
    .select('post_id')
    .where('post_id', '=', postId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return found !== undefined
}

export const saveImportedPost = (tx: Tx, row: Selectable<ImportedPostTable>): Promise<unknown> =>
  tx
    .insertInto('imported_posts')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'source_id']).doUpdateSet({
        fingerprint: row.fingerprint,
        content_hash: row.content_hash,
      }),
    )
    .execute()
