import { type getTip as declared, tipNotFound } from '@pennypost/contract/purchases'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../../services.ts'
import { prefersEvents } from './live-sessions.ts'
import { followOwnSession, tipView } from './session-view.ts'

export const getTip: Handler<typeof declared> = async (services, { caller, params, headers }) => {
  const { clock, liveSessions } = services
  const wanted = { id: params.sessionId, payerId: caller.accountId, kind: 'tip' } as const
  const read = async () => {
    const session = await followOwnSession(services, wanted)
    return session && tipView(session, clock.now())
  }
  if (prefersEvents(headers.accept) && (await read()))
    return { status: 200, body: liveSessions.stream(wanted.id, 'tip', read) }
  return { status: 200, body: (await read()) ?? refuse(tipNotFound) }
}
