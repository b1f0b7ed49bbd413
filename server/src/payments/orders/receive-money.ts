import type { CustodyPurpose } from '../../rails/nano/custody/purpose.ts'
import { book } from '../ledger/ledger.ts'
import { finishPayouts } from '../payouts/finish-payout.ts'
import type { PaymentServices } from '../services.ts'
import { closeLater } from './close-order.job.ts'
import { addOrderArrival, lockOrderOfAddress } from './order-store.ts'
import { settleOrder } from './settle-order.ts'

/** Addresses that were given out with a quote. What arrives is booked, and buys, in one transaction. */
export const orderPurpose = (services: PaymentServices): CustodyPurpose => ({
  ...finishPayouts(services),
  async onArrival(tx, { hash, addressId, address, amount }) {
    const order = await lockOrderOfAddress(tx, addressId)
    await addOrderArrival(tx, order.id, hash, amount)
    await book(tx, {
      asset: 'XNO',
      kind: 'arrival',
      cause: `arrival:${hash}`,
      orderId: order.id,
      at: services.clock.now(),
      entries: [
        { account: 'chain', ref: address, amount },
        { account: 'order', ref: order.id, amount: -amount },
      ],
    })
    if (await settleOrder(services, tx, order)) await closeLater(services, tx, order)
  },
})
