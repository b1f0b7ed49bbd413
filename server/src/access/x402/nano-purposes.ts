import { lockOrderOfAddress, type OrderRow } from '../../payments/orders/order-store.ts'
import { orderPurpose } from '../../payments/orders/receive-money.ts'
import { returning } from '../../payments/return-money.ts'
import type { CustodyPurpose } from '../../rails/nano/custody/purpose.ts'
import type { AccessServices } from '../services.ts'
import { findBlockPayment, movePayment } from './payment-store.ts'

const isSold = ({ state }: OrderRow) => state === 'received' || state === 'paid'

/** Addresses of x402 quotes. Money there is an order's; the proof it came with is settled in the same transaction. */
export function x402Purpose(services: AccessServices): CustodyPurpose {
  const order = orderPurpose(services)
  return {
    ...order,
    async onArrival(tx, arrival) {
      const before = await lockOrderOfAddress(tx, arrival.addressId)
      await order.onArrival(tx, arrival)
      const payment = await findBlockPayment(tx, arrival.hash)
      if (!payment) return
      const bought = !isSold(before) && isSold(await lockOrderOfAddress(tx, arrival.addressId))
      if (bought)
        await movePayment(tx, payment.id, 'settle', {
          settled_at: services.clock.now(),
          transaction: arrival.hash,
        })
      else await movePayment(tx, payment.id, 'fail', { failure: 'the money is on its way back' })
    },
  }
}

/** Addresses of quotes that were paid in the wrong amount, or too late to buy anything. */
export const x402StrayPurpose = (services: AccessServices): CustodyPurpose => returning(services, async () => {})
