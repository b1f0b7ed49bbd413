import { returning } from '../../payments/return-money.ts'
import { sessionPurpose } from '../../payments/sessions/receive-money.ts'
import { lockSessionOfAddress, type SessionRow } from '../../payments/sessions/session-store.ts'
import type { CustodyPurpose } from '../../rails/nano/custody/purpose.ts'
import { findBlockPayment, movePayment } from './payment-store.ts'

const isSold = ({ state }: SessionRow) => state === 'received' || state === 'paid'

/** Addresses of x402 quotes. Money there is a session's; the proof it came with is settled in the same transaction. */
export const x402Purpose: CustodyPurpose = {
  ...sessionPurpose,
  async onArrival(services, tx, arrival) {
    const before = await lockSessionOfAddress(tx, arrival.addressId)
    await sessionPurpose.onArrival(services, tx, arrival)
    const payment = await findBlockPayment(tx, arrival.hash)
    if (!payment) return
    const bought = !isSold(before) && isSold(await lockSessionOfAddress(tx, arrival.addressId))
    if (bought)
      await movePayment(tx, payment.id, 'settle', {
        settled_at: services.clock.now(),
        transaction: arrival.hash,
      })
    else await movePayment(tx, payment.id, 'fail', { failure: 'the money is on its way back' })
  },
}

/** Addresses of quotes that were paid in the wrong amount, or too late to buy anything. */
export const x402StrayPurpose: CustodyPurpose = returning(async () => {})
