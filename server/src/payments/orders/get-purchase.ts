import { tooManyStreams } from '@pennypost/contract/order-fields'
import { type getPurchase as declared, purchaseNotFound } from '@pennypost/contract/purchases'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { prefersEvents } from './order-events.ts'
import { followOwnOrder, purchaseView, viewContextOf } from './order-view.ts'

export const getPurchase: Handler<typeof declared> = async (services, { caller, params, headers, ip }) => {
  const { orderEvents } = services
  const wanted = { id: params.purchaseId, payerId: caller.accountId, kind: 'purchase' } as const
  const read = async () => {
    const order = await followOwnOrder(services, wanted)
    return order && purchaseView(order, viewContextOf(services))
  }
  const order = (await read()) ?? refuse(purchaseNotFound)
  if (!prefersEvents(headers.accept)) return { status: 200, body: order }
  const watched = { id: wanted.id, event: 'purchase', viewer: caller.accountId, ip } as const
  const stream = orderEvents.stream(watched, read) ?? refuse(tooManyStreams, {}, { retryAfterSeconds: 5 })
  return { status: 200, body: stream }
}
