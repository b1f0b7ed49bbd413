import type { logOut as declared } from '@pennypost/contract/sessions'
import type { Handler } from './services.ts'
import { endSession } from './session-store.ts'

export const logOut: Handler<typeof declared> = async ({ db, clock }, { caller }) => {
  const session = await db.transaction().execute((tx) => endSession(tx, caller.sessionId, 'logout', clock.now()))
  // Services that only check the signature accept the access token of an email session until it expires. Our own routes
  // also check the session, so they stop accepting it now.
  const accessTokenValidUntilExpiry = session?.kind !== 'wallet'
  return { status: 200, body: { loggedOut: true, scope: 'local', accessTokenValidUntilExpiry } }
}
