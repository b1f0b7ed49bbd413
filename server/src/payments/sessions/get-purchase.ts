import { type getPurchase as declared, purchaseNotFound } from '@pennypost/contract/purchases'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../../services.ts'
import { prefersEvents } from './live-sessions.ts'
import { followOwnSession, purchaseView } from './session-view.ts'

export const getPurchase: Handler<typeof declared> = async (services, { caller, params, headers }) => {
  const { clock, liveSessions } = services
  const wanted = { id: params.purchaseId, payerId: caller.accountId, kind: 'purchase' } as const
  const read = async () => {
    const session = await followOwnSession(services, wanted)
    return session && purchaseView(session, clock.now())
  }
  if (prefersEvents(headers.accept) && (await read()))
    return { status: 200, body: liveSessions.stream(wanted.id, 'purchase', read) }
  return { status: 200, body: (await read()) ?? refuse(purchaseNotFound) }
}
