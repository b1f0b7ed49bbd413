import type { logOut as declared } from '@pennypost/contract/sessions'
import type { Handler } from './services.ts'
import { endSession } from './session-store.ts'

export const logOut: Handler<typeof declared> = async ({ db, clock }, { caller }) => {
  const session = await db.transaction().execute((tx) => endSession(tx, caller.sessionId, 'logout', clock.now()))
  // §5.4: a token that a session by mail signed stays valid for whoever checks the signature alone; ours ask further.
  const accessTokenValidUntilExpiry = session?.kind !== 'wallet'
  return { status: 200, body: { loggedOut: true, scope: 'local', accessTokenValidUntilExpiry } }
}
