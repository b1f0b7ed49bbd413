import type { revokeOtherSessions as declared } from '@pennypost/contract/sessions'
import type { Handler } from './services.ts'
import { endOtherSessions } from './session-store.ts'

export const revokeOtherSessions: Handler<typeof declared> = async ({ db, clock }, { caller }) => ({
  status: 200,
  body: {
    revoked: await db
      .transaction()
      .execute((tx) => endOtherSessions(tx, caller.accountId, caller.sessionId, clock.now())),
  },
})
