import { type clearHold as declared, holdNotFound } from '@pennypost/contract/holds'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { scheduleCleanup } from './cancel-operation.ts'
import { endHold, findHold } from './hold-store.ts'
import { holdView } from './hold-view.ts'
import { findOperation } from './operation-store.ts'
import { requireAdministrator } from './require-administrator.ts'
import { isUnderWay } from './safety.ts'

export const clearHold: Handler<typeof declared> = async ({ db, clock }, { caller, params }) => {
  requireAdministrator(caller)
  await db.transaction().execute(async (tx) => {
    const ended = await endHold(tx, params.holdId, caller.accountId, clock.now())
    const operation = ended && (await findOperation(tx, ended.operation_id))
    // What it kept only as evidence may go now.
    if (operation && !isUnderWay(operation) && !(operation.state === 'cleared' && operation.desired))
      await scheduleCleanup(tx, clock, operation.id)
  })
  const hold = (await findHold(db, params.holdId)) ?? refuse(holdNotFound)
  return { status: 200, body: holdView(hold) }
}
