import { sql } from 'kysely'
import { z } from 'zod'
import { oldObjects } from '../platform/files/old-objects.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { cleanUpUpload } from './clean-up-upload.job.ts'
import { checkStoredBytes } from './lost-bytes.ts'
import { objectPrefixes } from './object-keys.ts'
import { adoptObjectStore, requireKnownObjectStore } from './object-store-identity.ts'
import { screenLargeUpload, screenUpload } from './screen-upload.job.ts'
import type { Job, UploadServices } from './services.ts'

const payload = z.object({})
const dayMs = 24 * 3_600_000

/**
 * Repairs what a crash or a bug can leave behind: objects that no row refers to, rows whose object is missing, and
 * checks and cleanups without a job.
 */
export const reconcileUploads: Job<typeof payload> = {
  name: 'reconcile-uploads',
  payload,
  attempts: 3,
  every: 'hour',
  async run(services) {
    await requeueForgottenWork(services)
    if (services.config.acceptedLosses !== undefined) await adoptObjectStore(services)
    // In the wrong object store all our objects would look lost, and all objects there would look like orphans.
    await requireKnownObjectStore(services)
    await checkStoredBytes(services)
    for (const prefix of objectPrefixes) await removeOrphans(services, prefix)
  },
}

/** Removes objects without a row. Only those over a day old: a running upload stores bytes before it records them. */
async function removeOrphans({ db, files, log }: UploadServices, prefix: string): Promise<void> {
  for await (const keys of oldObjects(files, prefix, dayMs)) {
    const { rows } = await sql<{ key: string }>`
      SELECT received_key AS key FROM upload_operations WHERE received_key = ANY(${keys})
      UNION ALL SELECT media_key FROM upload_operations WHERE media_key = ANY(${keys})
      UNION ALL SELECT object_key FROM upload_parts WHERE object_key = ANY(${keys})`.execute(db)
    const known = new Set(rows.map(({ key }) => key))
    const orphans = keys.filter((key) => !known.has(key))
    for (const key of orphans) await files.remove(key)
    if (orphans.length > 0) log.warn({ prefix, objects: orphans.length }, 'removed objects that no upload refers to')
  }
}

/** Enqueues checks and cleanups whose job is missing or dead. */
async function requeueForgottenWork({ db, clock }: UploadServices): Promise<void> {
  const forgotten = async (condition: ReturnType<typeof sql>, ...jobs: string[]) => {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM upload_operations operation WHERE ${condition} AND NOT EXISTS (
        SELECT FROM jobs WHERE name = ANY(${jobs}) AND payload ->> 'operationId' = operation.id::text AND dead_at IS NULL)
      LIMIT 1000`.execute(db)
    return rows
  }
  const unscreened = await forgotten(sql`state IN ('queued', 'checking')`, screenUpload.name, screenLargeUpload.name)
  const uncleaned = await forgotten(sql`cleanup_state = 'queued'`, cleanUpUpload.name)
  await db.transaction().execute(async (tx) => {
    for (const { id } of unscreened)
      await enqueue(tx, clock, screenUpload, { operationId: id }, { key: `screen:${id}` })
    for (const { id } of uncleaned)
      await enqueue(tx, clock, cleanUpUpload, { operationId: id }, { key: `clean-up:${id}` })
  })
}
