import { z } from 'zod'
import type { Job } from '../services.ts'
import { closeKey, closeLater } from './order-lifecycle.job.ts'
import { lastExpiryOfRefunds, listForgottenOrders } from './order-store.ts'

const payload = z.object({})
const most = 500

/** Sends back money that should have gone back already, in case its order's job was lost. */
export const closeForgottenOrders: Job<typeof payload> = {
  name: 'close-forgotten-orders',
  payload,
  attempts: 3,
  every: '20 seconds',
  async run({ db, clock }) {
    const forgotten = await listForgottenOrders(db, lastExpiryOfRefunds(clock.now()), closeKey(''), most)
    for (const order of forgotten) await db.transaction().execute((tx) => closeLater({ clock }, tx, order))
  },
}
