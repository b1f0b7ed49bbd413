import type { CustodyPurpose } from '../../rails/nano/custody/purpose.ts'
import { book } from '../ledger/ledger.ts'
import { blockPayout, confirmPayout } from '../payouts/finish-payout.ts'
import { closeLater } from './close-session.job.ts'
import { addSessionArrival, lockSessionOfAddress } from './session-store.ts'
import { settleSession } from './settle-session.ts'

/** Addresses that were given out with a quote. What arrives is booked, and buys, in one transaction. */
export const sessionPurpose: CustodyPurpose = {
  async onArrival(services, tx, { hash, addressId, address, amount }) {
    const session = await lockSessionOfAddress(tx, addressId)
    await addSessionArrival(tx, session.id, hash, amount)
    await book(tx, {
      asset: 'XNO',
      kind: 'arrival',
      cause: `arrival:${hash}`,
      sessionId: session.id,
      at: services.clock.now(),
      entries: [
        { account: 'chain', ref: address, amount },
        { account: 'session', ref: session.id, amount: -amount },
      ],
    })
    if (await settleSession(services, tx, session)) await closeLater(services, tx, session)
  },
  onSendConfirmed: confirmPayout,
  onSendRefused: blockPayout,
}
