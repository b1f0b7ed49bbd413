import { sql } from 'kysely'
import { z } from 'zod'
import { findAttachmentByOperation, moveAttachment } from './attachment-store.ts'
import { cancelOperation } from './cancel-operation.ts'
import { lockOperation } from './operation-store.ts'
import { expiryCutoff, isExpired } from './safety.ts'
import type { Job } from './services.ts'

const payload = z.object({})

/** §8: what waited a day for bytes without progress is given up, and frees its place. */
export const expireUploads: Job<typeof payload> = {
  name: 'expire-uploads',
  payload,
  attempts: 3,
  every: 'hour',
  async run({ db, clock, targets }) {
    const now = clock.now()
    const { rows } = await sql<{ id: string; account_id: string; target_kind: string; target_id: string }>`
      SELECT id, account_id, target_kind, target_id FROM upload_operations
      WHERE state = 'receiving' AND progress_at <= ${expiryCutoff(now)} LIMIT 1000`.execute(db)
    for (const { id, account_id: accountId, target_kind: kind, target_id: targetId } of rows) {
      await db.transaction().execute(async (tx) => {
        if (kind !== 'avatar' && kind !== 'header') await targets.lockPost(tx, accountId, targetId)
        const operation = await lockOperation(tx, id)
        if (!operation || !isExpired(operation, now)) return
        const attachment = await findAttachmentByOperation(tx, id)
        if (attachment) await moveAttachment(tx, attachment.id, 'remove')
        await cancelOperation(tx, clock, id, 'expiry')
      })
    }
  },
}
