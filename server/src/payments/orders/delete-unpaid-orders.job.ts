import { z } from 'zod'
import type { Job } from '../services.ts'
import { listPayers, removeUnpaidOrders } from './unpaid-orders.ts'

const payload = z.object({})
const dayMs = 86_400_000
const payersAtOnce = 1_000
const ordersAtOnce = 500
// It begins again the next day: what was deleted is gone by then.
const longestMs = 30 * 60_000

/** Deletes orders of accounts that nobody paid, after as long as the operator wants to keep them. */
export const deleteUnpaidOrders: Job<typeof payload> = {
  name: 'delete-unpaid-orders',
  payload,
  attempts: 3,
  every: 'day',
  share: 'spare',
  lowPriority: true,
  async run({ db, clock, config: { keepUnpaidOrdersDays } }) {
    if (keepUnpaidOrdersDays === undefined) return
    const before = new Date(clock.now().getTime() - keepUnpaidOrdersDays * dayMs)
    const endsAt = performance.now() + longestMs
    for (let after: string | undefined = firstId; after !== undefined && performance.now() < endsAt; ) {
      const payers: { payerId: string; hasOld: boolean }[] = await listPayers(db, after, before, payersAtOnce)
      for (const { payerId, hasOld } of payers)
        for (let gone = ordersAtOnce; hasOld && gone === ordersAtOnce && performance.now() < endsAt; )
          gone = await removeUnpaidOrders(db, payerId, before, ordersAtOnce)
      after = payers.length === payersAtOnce ? payers.at(-1)!.payerId : undefined
    }
  },
}

const firstId = '00000000-0000-0000-0000-000000000000'
