import { type refreshSession as declared, sessionExpired } from '@pennypost/contract/sessions'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'
import { rotateSession } from './session-store.ts'

export const refreshSession: Handler<typeof declared> = async ({ db, clock, tokens }, { body }) => {
  const presented = tokens.readRefresh(body.refreshToken) ?? refuse(sessionExpired)
  const session = await db.transaction().execute((tx) => rotateSession(tx, presented, clock.now()))
  return { status: 200, body: await tokens.pair(session ?? refuse(sessionExpired)) }
}
