import { type getTip as declared, tipNotFound } from '@pennypost/contract/purchases'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { prefersEvents } from './order-events.ts'
import { followOwnOrder, tipView } from './order-view.ts'

export const getTip: Handler<typeof declared> = async (services, { caller, params, headers }) => {
  const { clock, orderEvents } = services
  const wanted = { id: params.sessionId, payerId: caller.accountId, kind: 'tip' } as const
  const read = async () => {
    const order = await followOwnOrder(services, wanted)
    return order && tipView(order, clock.now())
  }
  if (prefersEvents(headers.accept) && (await read()))
    return { status: 200, body: orderEvents.stream(wanted.id, 'tip', read) }
  return { status: 200, body: (await read()) ?? refuse(tipNotFound) }
}
