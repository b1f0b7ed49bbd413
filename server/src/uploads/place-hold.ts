import { type placeHold as declared, heldUploadNotFound } from '@pennypost/contract/holds'
import { recordAct } from '../accounts/audit-log-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { addHold, findOpenHold } from './hold-store.ts'
import { holdView } from './hold-view.ts'
import { lockOperation } from './operation-store.ts'
import { requireAdministrator } from './require-administrator.ts'

export const placeHold: Handler<typeof declared> = async ({ db, clock }, { caller, body }) => {
  requireAdministrator(caller)
  const { operationId, reason } = body
  const placed = await db.transaction().execute(async (tx) => {
    // Against a cleanup that is just removing what is evidence now.
    if (!(await lockOperation(tx, operationId))) refuse(heldUploadNotFound)
    const placedBy = caller.accountId
    const now = clock.now()
    const id = await addHold(tx, { operationId, source: 'administrator', reason, placedBy, now })
    const details = { holdId: id ?? '', reason }
    if (id)
      await recordAct(tx, { at: now, actorId: placedBy, act: 'upload.hold', target: ['upload', operationId], details })
    return id
  })
  const hold = (await findOpenHold(db, operationId)) ?? refuse(heldUploadNotFound)
  return { status: placed === undefined ? 200 : 201, body: holdView(hold) }
}
