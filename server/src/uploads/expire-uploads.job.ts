import { sql } from 'kysely'
import { z } from 'zod'
import { findAttachmentByOperation, moveAttachment } from './attachment-store.ts'
import { cancelOperation } from './cancel-operation.ts'
import { lockOperation, type Operation } from './operation-store.ts'
import { expiryCutoff, isExpired } from './safety.ts'
import type { Job } from './services.ts'
import { lockTarget } from './targets.ts'

const payload = z.object({})

/** Cancels uploads that have waited a day for bytes without progress, which frees their quota. */
export const expireUploads: Job<typeof payload> = {
  name: 'expire-uploads',
  payload,
  attempts: 3,
  every: 'hour',
  async run({ db, clock, targets }) {
    const now = clock.now()
    const { rows } = await sql<Pick<Operation, 'id' | 'account_id' | 'target_kind' | 'target_id'>>`
      SELECT id, account_id, target_kind, target_id FROM upload_operations
      WHERE state = 'receiving' AND progress_at <= ${expiryCutoff(now)} LIMIT 1000`.execute(db)
    for (const found of rows) {
      await db.transaction().execute(async (tx) => {
        await lockTarget(tx, targets, found)
        const operation = await lockOperation(tx, found.id)
        if (!operation || !isExpired(operation, now)) return
        const attachment = await findAttachmentByOperation(tx, operation.id)
        if (attachment) await moveAttachment(tx, attachment.id, 'remove')
        await cancelOperation(tx, clock, operation.id, 'expiry')
      })
    }
  },
}
