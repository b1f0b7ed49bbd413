import { z } from 'zod'
import { deleteReplies } from '../../platform/idempotency.ts'
import type { Job } from '../services.ts'
import { type CheckoutPlace, listGuestCheckouts, removeUnpaidCheckouts } from './checkout-store.ts'

const payload = z.object({})
const dayMs = 86_400_000
/** How long a guest can still read an unpaid checkout after its offer ended. */
export const maxAgeDays = 7
const atOnce = 1_000

/**
 * Deletes unpaid checkouts of guests after a week, with the stored replies to their keys: anyone can open one without
 * paying. A checkout with a payment stays, whatever became of the payment.
 */
export const deleteGuestCheckouts: Job<typeof payload> = {
  name: 'delete-guest-checkouts',
  payload,
  attempts: 3,
  every: 'day',
  async run({ db, clock }) {
    const expiredBy = new Date(clock.now().getTime() - maxAgeDays * dayMs)
    let after: CheckoutPlace | undefined
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
  },
}
