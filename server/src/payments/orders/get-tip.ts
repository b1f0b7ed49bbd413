import { tooManyStreams } from '@pennypost/contract/order-fields'
import { type getTip as declared, tipNotFound } from '@pennypost/contract/tips'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { prefersEvents } from './order-events.ts'
import { followOwnOrder, tipView, viewContextOf } from './order-view.ts'

export const getTip: Handler<typeof declared> = async (services, { caller, params, headers, ip }) => {
  const { orderEvents } = services
  const wanted = { id: params.sessionId, payerId: caller.accountId, kind: 'tip' } as const
  const read = async () => {
    const order = await followOwnOrder(services, wanted)
    return order && tipView(order, viewContextOf(services))
  }
  const order = (await read()) ?? refuse(tipNotFound)
  if (!prefersEvents(headers.accept)) return { status: 200, body: order }
  const watched = { id: wanted.id, event: 'tip', viewer: caller.accountId, ip } as const
  const stream = orderEvents.stream(watched, read) ?? refuse(tooManyStreams, {}, { retryAfterSeconds: 5 })
  return { status: 200, body: stream }
}
