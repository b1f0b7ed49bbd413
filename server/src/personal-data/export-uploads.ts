import { safeName } from '@pennypost/contract/safe-name'
import { sql } from 'kysely'
import type { Db } from '../platform/database/database.ts'
import type { StoredFile } from './exported-file.ts'

interface UploadRow {
  readonly id: string
  readonly kind: 'inline' | 'og' | 'avatar' | 'header' | 'attachment'
  readonly target_key: string
  readonly extension: string | null
  readonly filename: string | null
  readonly description: string | null
  readonly sha256: string
  readonly is_current: boolean
  readonly object_key: string
  readonly created_at: Date
}

// What was cleared and is still in use, or kept for buyers. Bytes that are held for review are given to nobody.
const usable = sql`operation.state = 'cleared' AND coalesce(operation.media_key, operation.received_key) IS NOT NULL
  AND NOT EXISTS (SELECT FROM incident_holds hold WHERE hold.operation_id = operation.id AND hold.cleared_at IS NULL)`

const columns = sql`operation.id, operation.target_kind AS kind, operation.target_key, operation.media_extension AS extension,
  zip.filename, zip.description, operation.sha256, operation.desired AS is_current, CASE operation.target_kind WHEN 'attachment' THEN operation.received_key ELSE operation.media_key END AS object_key,
  operation.created_at`

/** The avatar and the header image that the profile shows. */
export async function listProfileImages(db: Db, accountId: string): Promise<StoredFile[]> {
  const { rows } = await sql<UploadRow>`
    SELECT ${columns} FROM upload_operations operation LEFT JOIN attachments zip ON false
    WHERE operation.account_id = ${accountId} AND operation.target_id = ${accountId} AND operation.desired
      AND operation.target_kind IN ('avatar', 'header') AND operation.media_key IS NOT NULL AND ${usable}
    ORDER BY operation.created_at, operation.id`.execute(db)
  // An image that is being replaced stays until the newer one is cleared.
  const current = new Map(rows.map((row) => [row.kind, row]))
  return [...current.values()].map((row) => storedFile(row, `account/${row.kind}.${row.extension}`))
}

interface PostFile extends StoredFile {
  /** What an import of this archive needs to know about a ZIP that the post still has. */
  readonly attachment?: {
    readonly file: string
    readonly filename: string
    readonly description: string
    readonly sha256: string
  }
}

/** The images and ZIPs of a post, also ZIPs that were removed but are kept for buyers. */
export async function listPostFiles(db: Db, postId: string, folder: string): Promise<PostFile[]> {
  const { rows } = await sql<UploadRow>`
    SELECT ${columns} FROM upload_operations operation LEFT JOIN attachments zip ON zip.operation_id = operation.id
    WHERE operation.target_id = ${postId} AND operation.target_kind IN ('inline', 'og', 'attachment') AND ${usable}
      AND (operation.desired OR zip.retention_reason IS NOT NULL)
      AND CASE operation.target_kind WHEN 'attachment' THEN operation.received_key ELSE operation.media_key END IS NOT NULL
    ORDER BY operation.created_at, operation.id`.execute(db)
  const current = new Map(
    rows.map((row) => [row.kind === 'attachment' ? row.id : `${row.kind} ${row.target_key}`, row]),
  )
  return [...current.values()].map((row) => {
    const file = nameOf(row)
    const { filename, description, sha256 } = row
    return {
      ...storedFile(row, `${folder}/${file}`),
      ...(row.kind === 'attachment' &&
        row.is_current && {
          attachment: { file, filename: filename ?? 'attachment.zip', description: description ?? '', sha256 },
        }),
    }
  })
}

function nameOf({ id, kind, target_key, extension, filename }: UploadRow): string {
  // The id keeps two files with one name apart.
  if (kind === 'attachment') return `attachments/${id.slice(0, 8)}-${safeName(filename ?? 'attachment.zip')}`
  return kind === 'og' ? `cover.${extension}` : `images/${safeName(target_key)}.${extension}`
}

const storedFile = (row: UploadRow, name: string): StoredFile => ({
  name,
  key: row.object_key,
  modifiedAt: row.created_at,
})
