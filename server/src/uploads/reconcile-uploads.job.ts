import { sql } from 'kysely'
import { z } from 'zod'
import { oldObjects } from '../platform/files/old-objects.ts'
import { enqueue } from '../platform/jobs/job.ts'
import type { Job, Services } from '../services.ts'
import { cleanUpUpload } from './clean-up-upload.job.ts'
import { prefixes } from './object-keys.ts'
import { changeOperation, moveOperation, type Operation } from './operation-store.ts'
import { screenUpload } from './screen-upload.job.ts'

const payload = z.object({})
const dayMs = 24 * 3_600_000
const mostLooks = 2_000

/**
 * Looks for what a crash at the wrong moment, or a mistake, could leave behind: objects that no row knows, rows whose
 * object is gone, and work that no job is promised for.
 */
export const reconcileUploads: Job<typeof payload> = {
  name: 'reconcile-uploads',
  payload,
  attempts: 3,
  every: 'hour',
  async run(services) {
    for (const prefix of prefixes) await removeOrphans(services, prefix)
    await findLostBytes(services)
    await promiseAgain(services)
  },
}

/** A day is far longer than any upload takes between its bytes and its row. */
async function removeOrphans({ db, files, log }: Services, prefix: string): Promise<void> {
  for await (const keys of oldObjects(files, prefix, dayMs)) {
    const { rows } = await sql<{ key: string }>`
      SELECT received_key AS key FROM upload_operations WHERE received_key = ANY(${keys})
      UNION ALL SELECT media_key FROM upload_operations WHERE media_key = ANY(${keys})
      UNION ALL SELECT object_key FROM upload_parts WHERE object_key = ANY(${keys})`.execute(db)
    const known = new Set(rows.map(({ key }) => key))
    const orphans = keys.filter((key) => !known.has(key))
    for (const key of orphans) await files.remove(key)
    if (orphans.length > 0) log.warn({ prefix, objects: orphans.length }, 'removed objects that no upload knows')
  }
}

/** Every stored upload is looked at once a day. */
async function findLostBytes(services: Services): Promise<void> {
  const { db, files, clock } = services
  const now = clock.now()
  const { rows } = await sql<Operation>`
    SELECT * FROM upload_operations WHERE (received_key IS NOT NULL OR media_key IS NOT NULL)
      AND (bytes_seen_at IS NULL OR bytes_seen_at < ${new Date(now.getTime() - dayMs)})
    ORDER BY bytes_seen_at NULLS FIRST LIMIT ${mostLooks}`.execute(db)
  for (const operation of rows) {
    const key = operation.media_key ?? operation.received_key!
    if ((await files.sizeOf(key)) !== undefined) await changeOperation(db, operation.id, { bytes_seen_at: now })
    else await recordLoss(services, operation, key)
  }
}

async function recordLoss({ db, clock, targets, log }: Services, operation: Operation, key: string): Promise<void> {
  const { id, account_id: accountId, target_kind: kind, target_id: targetId } = operation
  log.error({ operationId: id, key }, 'stored bytes are missing')
  await db.transaction().execute(async (tx) => {
    const isOfProfile = kind === 'avatar' || kind === 'header'
    if (!isOfProfile) await targets.lockPost(tx, accountId, targetId)
    await changeOperation(tx, id, {
      bytes_seen_at: clock.now(),
      ...(key === operation.media_key ? { media_key: null } : { received_key: null }),
    })
    const wasShown = operation.state === 'cleared' && operation.desired && operation.associated_at !== null
    if (!(await moveOperation(tx, id, 'lose', { last_error: 'bytes-lost', reupload_allowed: true }))) return
    if (isOfProfile && wasShown) await targets.showProfileImage(tx, accountId, kind, null)
  })
}

/** Checks and cleanups whose job is gone or dead, for whatever reason. */
async function promiseAgain({ db, clock }: Services): Promise<void> {
  const forgotten = async (condition: ReturnType<typeof sql>, job: string) => {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM upload_operations operation WHERE ${condition} AND NOT EXISTS (
        SELECT FROM jobs WHERE name = ${job} AND payload ->> 'operationId' = operation.id::text AND dead_at IS NULL)
      LIMIT 1000`.execute(db)
    return rows
  }
  const unscreened = await forgotten(sql`state IN ('queued', 'checking')`, screenUpload.name)
  const uncleaned = await forgotten(sql`cleanup_state = 'queued'`, cleanUpUpload.name)
  await db.transaction().execute(async (tx) => {
    for (const { id } of unscreened)
      await enqueue(tx, clock, screenUpload, { operationId: id }, { key: `screen:${id}` })
    for (const { id } of uncleaned)
      await enqueue(tx, clock, cleanUpUpload, { operationId: id }, { key: `clean-up:${id}` })
  })
}
