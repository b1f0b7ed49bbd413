import { type revokeSession as declared, sessionNotFound } from '@pennypost/contract/sessions'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'
import { endSession, findOwnSession } from './session-store.ts'

/** Revokes a session. Also succeeds if the session has already ended. */
export const revokeSession: Handler<typeof declared> = async ({ db, clock }, { caller, params: { sessionId } }) => {
  await db.transaction().execute(async (tx) => {
    if (!(await findOwnSession(tx, caller.accountId, sessionId))) refuse(sessionNotFound)
    await endSession(tx, sessionId, 'logout', clock.now())
  })
  return { status: 200, body: { id: sessionId, revoked: true } }
}
