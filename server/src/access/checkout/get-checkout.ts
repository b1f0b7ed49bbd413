import type { getCheckout as declared } from '@pennypost/contract/checkout'
import { tooManyStreams } from '@pennypost/contract/order-fields'
import { prefersEvents } from '../../payments/orders/order-events.ts'
import { checkAddressOf } from '../../payments/orders/order-view.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { paidView } from './checkout-view.ts'
import { ownCheckout } from './own-checkout.ts'

export const getCheckout: Handler<typeof declared> = async (
  services,
  { caller, params, headers, origin, ip, visit },
) => {
  const isHolder = caller.kind === 'checkout-credential'
  const read = async () => {
    const own = await ownCheckout(services, params.checkoutId, caller)
    if (own.asset === 'XNO') await checkAddressOf(services, own.order)
    return paidView(services, own, { origin, visit }, isHolder ? 'recent' : 'none')
  }
  const found = await read()
  if (!prefersEvents(headers.accept)) return { status: 200, body: found }
  const viewer = isHolder ? `checkout ${params.checkoutId}` : caller.accountId
  const watched = { id: params.checkoutId, event: 'checkout', viewer, ip } as const
  const stream = services.orderEvents.stream(watched, read) ?? refuse(tooManyStreams, {}, { retryAfterSeconds: 5 })
  return { status: 200, body: stream }
}
