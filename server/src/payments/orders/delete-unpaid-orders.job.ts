import { z } from 'zod'
import { deleteByAccount } from '../../platform/database/delete-by-account.ts'
import type { Job } from '../services.ts'
import { listPayers, removeUnpaidOrders } from './unpaid-orders.ts'

const payload = z.object({})
const dayMs = 86_400_000

/** Deletes unpaid orders of accounts that are older than the operator wants to keep them. */
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
    await deleteByAccount({
      listNext: (after, limit) => listPayers(db, after, before, limit),
      deleteSome: (payerId, limit) => removeUnpaidOrders(db, payerId, before, { limit, now: clock.now() }),
      batchSize: 500,
    })
  },
}
