import type { Tx } from '../platform/database/database.ts'
import type { Arrival, CustodyPurpose } from '../rails/nano/custody/purpose.ts'
import type { Services } from '../services.ts'
import { book } from './ledger/ledger.ts'
import { blockPayout, confirmPayout } from './payouts/finish-payout.ts'
import { owe } from './payouts/owe.ts'

/** Addresses that people pay to in order to show something: all goes back to its sender, and somebody is told of it. */
export const returning = (heard: (services: Services, tx: Tx, arrival: Arrival) => Promise<void>): CustodyPurpose => ({
  async onArrival(services, tx, arrival) {
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
    await heard(services, tx, arrival)
  },
  onSendConfirmed: confirmPayout,
  onSendRefused: blockPayout,
})
