import { type placeHold as declared, heldUploadNotFound } from '@pennypost/contract/holds'
import { recordAuditEntry } from '../accounts/audit-log-store.ts'
import { requireAdmin } from '../accounts/require-admin.ts'
import { refuse } from '../platform/http/refuse.ts'
import { addHold, findOpenHold } from '../uploads/hold-store.ts'
import { findOperation, lockOperation } from '../uploads/operation-store.ts'
import { hideFromProfile } from '../uploads/profile-image.ts'
import { lockTarget } from '../uploads/targets.ts'
import { holdView } from './hold-view.ts'
import type { Handler } from './services.ts'

export const placeHold: Handler<typeof declared> = async ({ db, clock, targets }, { caller, body }) => {
  requireAdmin(caller)
  const { operationId, reason } = body
  const placed = await db.transaction().execute(async (tx) => {
    await lockTarget(tx, targets, (await findOperation(tx, operationId)) ?? refuse(heldUploadNotFound))
    // The lock waits for a cleanup that may be deleting these bytes. From here on they are kept as evidence.
    const operation = (await lockOperation(tx, operationId)) ?? refuse(heldUploadNotFound)
    const placedBy = caller.accountId
    const now = clock.now()
    const id = await addHold(tx, { operationId, source: 'administrator', reason, placedBy, now })
    if (id) {
      const details = { holdId: id, reason }
      await recordAuditEntry(tx, {
        at: now,
        actorId: placedBy,
        act: 'upload.hold',
        target: ['upload', operationId],
        details,
      })
      await hideFromProfile(tx, targets, operation)
    }
    return id
  })
  const hold = (await findOpenHold(db, operationId)) ?? refuse(heldUploadNotFound)
  return { status: placed === undefined ? 200 : 201, body: holdView(hold) }
}
