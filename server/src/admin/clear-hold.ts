import { type clearHold as declared, holdNotFound } from '@pennypost/contract/holds'
import { recordAuditEntry } from '../accounts/audit-log-store.ts'
import { requireAdmin } from '../accounts/require-admin.ts'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { associateWithTarget } from '../uploads/associate-with-target.ts'
import { scheduleCleanup } from '../uploads/cancel-operation.ts'
import { endHold, findHold } from '../uploads/hold-store.ts'
import { findOperation, lockOperation } from '../uploads/operation-store.ts'
import { showOnProfileAgain } from '../uploads/profile-image.ts'
import { isInProgress } from '../uploads/safety.ts'
import { lockTarget } from '../uploads/targets.ts'
import { holdView } from './hold-view.ts'
import type { AdminServices, Handler } from './services.ts'

export const clearHold: Handler<typeof declared> = async (services, { caller, params }) => {
  const { db } = services
  requireAdmin(caller)
  await db.transaction().execute((tx) => release(tx, services, params.holdId, caller.accountId))
  const hold = (await findHold(db, params.holdId)) ?? refuse(holdNotFound)
  return { status: 200, body: holdView(hold) }
}

async function release(tx: Tx, services: AdminServices, holdId: string, actorId: string): Promise<void> {
  const { clock, targets } = services
  const hold = (await findHold(tx, holdId)) ?? refuse(holdNotFound)
  const post = await lockTarget(tx, targets, (await findOperation(tx, hold.operation_id))!)
  const operation = (await lockOperation(tx, hold.operation_id))!
  const now = clock.now()
  if (!(await endHold(tx, holdId, actorId, now))) return
  const details = { holdId }
  await recordAuditEntry(tx, { at: now, actorId, act: 'upload.release', target: ['upload', operation.id], details })
  if (isInProgress(operation)) return
  await showOnProfileAgain(tx, targets, operation)
  // A held upload could not be associated with its target, so do that now. Bytes kept only as evidence can go.
  if (operation.state === 'cleared' && operation.desired) await associateWithTarget(tx, services, operation, post)
  else await scheduleCleanup(tx, clock, operation.id)
}
