import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'

interface PresentFiles {
  images: string[]
  hasCover: boolean
  attachments: string[]
}

/** The files that these posts have or that are being checked, so that an interrupted import sends only what is missing. */
export async function presentFiles(db: Db | Tx, postIds: readonly string[]): Promise<Map<string, PresentFiles>> {
  const { rows } = await sql<{ post_id: string; kind: string; key: string; sha256: string }>`
    SELECT DISTINCT operation.target_id AS post_id, operation.target_kind AS kind, operation.target_key AS key, operation.sha256
    FROM upload_operations operation LEFT JOIN attachments zip ON zip.operation_id = operation.id
    WHERE operation.target_id = ANY (${postIds}::uuid[]) AND operation.target_kind IN ('inline', 'og', 'attachment')
      AND operation.desired AND operation.state IN ('queued', 'checking', 'cleared')
      AND (zip.state IS NULL OR zip.state IN ('pending', 'ready'))
    ORDER BY operation.target_key`.execute(db)
  const found = new Map<string, PresentFiles>(
    postIds.map((id) => [id, { images: [], hasCover: false, attachments: [] }]),
  )
  for (const { post_id, kind, key, sha256 } of rows) {
    const files = found.get(post_id)!
    if (kind === 'og') files.hasCover = true
    else if (kind === 'attachment') files.attachments.push(sha256)
    else if (!files.images.includes(key)) files.images.push(key)
  }
  return found
}
