import { type getPurchase as declared, purchaseNotFound } from '@pennypost/contract/purchases'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { prefersEvents } from './order-events.ts'
import { followOwnOrder, purchaseView } from './order-view.ts'

export const getPurchase: Handler<typeof declared> = async (services, { caller, params, headers }) => {
  const { clock, orderEvents } = services
  const wanted = { id: params.purchaseId, payerId: caller.accountId, kind: 'purchase' } as const
  const read = async () => {
    const order = await followOwnOrder(services, wanted)
    return order && purchaseView(order, clock.now())
  }
  if (prefersEvents(headers.accept) && (await read()))
    return { status: 200, body: orderEvents.stream(wanted.id, 'purchase', read) }
  return { status: 200, body: (await read()) ?? refuse(purchaseNotFound) }
}
