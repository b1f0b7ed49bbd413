import type { Tx } from '../platform/database/database.ts'
import type { Arrival, CustodyPurpose } from '../rails/nano/custody/purpose.ts'
import { book } from './ledger/ledger.ts'
import { finishPayouts } from './payouts/finish-payout.ts'
import { owe } from './payouts/owe.ts'
import type { PaymentServices } from './services.ts'

/** Addresses that people pay to in order to show something: all goes back to its sender, and somebody is told of it. */
export const returning = (
  services: PaymentServices,
  heard: (tx: Tx, arrival: Arrival) => Promise<void>,
): CustodyPurpose => ({
  ...finishPayouts(services),
  async onArrival(tx, arrival) {
    const { hash, addressId, address, amount, source } = arrival
    const refund = await owe(services, tx, {
      role: 'refund',
      orderId: null,
      arrivalHash: hash,
      payeeId: null,
      addressId,
      destination: source,
      amount,
    })
    await book(tx, {
      asset: 'XNO',
      kind: 'arrival',
      cause: `arrival:${hash}`,
      orderId: null,
      at: services.clock.now(),
      entries: [
        { account: 'chain', ref: address, amount },
        { account: 'refund', ref: refund.id, amount: -amount },
      ],
    })
    await heard(tx, arrival)
  },
})
