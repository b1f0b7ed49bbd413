import { type placeHold as declared, heldUploadNotFound } from '@pennypost/contract/holds'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { addHold, findOpenHold } from './hold-store.ts'
import { holdView } from './hold-view.ts'
import { findOperation } from './operation-store.ts'
import { requireAdministrator } from './require-administrator.ts'

export const placeHold: Handler<typeof declared> = async ({ db, clock }, { caller, body }) => {
  requireAdministrator(caller)
  const { operationId, reason } = body
  const placed = await db.transaction().execute(async (tx) => {
    if (!(await findOperation(tx, operationId))) refuse(heldUploadNotFound)
    const placedBy = caller.accountId
    return addHold(tx, { operationId, source: 'administrator', reason, placedBy, now: clock.now() })
  })
  const hold = (await findOpenHold(db, operationId)) ?? refuse(heldUploadNotFound)
  return { status: placed === undefined ? 200 : 201, body: holdView(hold) }
}
