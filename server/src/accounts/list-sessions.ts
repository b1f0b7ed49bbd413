import type { listSessions as declared } from '@pennypost/contract/sessions'
import type { Handler } from './services.ts'
import { listLiveSessions } from './session-store.ts'

export const listSessions: Handler<typeof declared> = async ({ db, clock }, { caller }) => {
  const sessions = await listLiveSessions(db, caller.accountId, clock.now())
  return {
    status: 200,
    body: {
      sessions: sessions.map(({ id, kind, device, created_at, rotated_at, last_used_at, expires_at }) => ({
        id,
        kind,
        device: device ?? 'Unknown device',
        isCurrent: id === caller.sessionId,
        startedAt: created_at.toISOString(),
        renewedAt: rotated_at.toISOString(),
        lastUsedAt: (last_used_at ?? rotated_at).toISOString(),
        expiresAt: expires_at.toISOString(),
      })),
    },
  }
}
