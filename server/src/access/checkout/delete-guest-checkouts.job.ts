import { z } from 'zod'
import { removeUnpaidGuestOrders } from '../../payments/orders/order-store.ts'
import type { Db } from '../../platform/database/database.ts'
import { deleteReplies } from '../../platform/idempotency.ts'
import type { Job } from '../services.ts'
import { type CheckoutPosition, listGuestCheckouts, removeUnpaidCheckouts } from './checkout-store.ts'

const payload = z.object({})
const dayMs = 86_400_000
/** How long a guest can still read an unpaid checkout in USDC after its offer ended. */
export const maxAgeDays = 7
/** The same in Nano. Longer than its address is watched, because opening the checkout finds a late payment. */
export const maxNanoAgeDays = 90
const atOnce = 1_000

/**
 * Deletes unpaid checkouts of guests, with the stored replies to their keys: anyone can open one without paying. A
 * checkout with a payment stays, whatever became of the payment.
 */
export const deleteGuestCheckouts: Job<typeof payload> = {
  name: 'delete-guest-checkouts',
  payload,
  attempts: 3,
  every: 'day',
  async run({ db, clock }) {
    const daysAgo = (days: number) => new Date(clock.now().getTime() - days * dayMs)
    await deleteInUsdc(db, daysAgo(maxAgeDays))
    await deleteInNano(db, daysAgo(maxNanoAgeDays))
  },
}

async function deleteInUsdc(db: Db, expiredBy: Date): Promise<void> {
  let after: CheckoutPosition | undefined
  do {
    after = await db.transaction().execute(async (tx) => {
      const found = await listGuestCheckouts(tx, { expiredBy, after, limit: atOnce })
      const gone = await removeUnpaidCheckouts(
        tx,
        found.map(({ id }) => id),
      )
      await deleteReplies(tx, 'checkout:guest ', gone)
      return found.at(-1)
    })
  } while (after)
}

/** A checkout in Nano is its order. */
async function deleteInNano(db: Db, expiredBefore: Date): Promise<void> {
  for (let count = atOnce; count === atOnce; ) {
    count = await db.transaction().execute(async (tx) => {
      const gone = await removeUnpaidGuestOrders(tx, expiredBefore, atOnce)
      await deleteReplies(tx, 'checkout:guest ', gone)
      await deleteReplies(tx, 'checkout-tip:guest ', gone)
      return gone.length
    })
  }
}
