import { z } from 'zod'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/jobs/job.ts'
import type { Job, PaymentServices } from '../services.ts'
import { refundAt } from './order-rules.ts'
import { lockOrder, moveOrder, type OrderRow } from './order-store.ts'
import { spendArrivals } from './spend-arrivals.ts'

const payload = z.object({ orderId: z.uuid() })

/** Expires an order after its hour, and sends back an hour later what came for it and is not enough. */
export const closeOrder: Job<typeof payload> = {
  name: 'close-order',
  payload,
  attempts: 20,
  async run(services, { orderId }) {
    const { db, clock } = services
    await db.transaction().execute(async (tx) => {
      const order = (await lockOrder(tx, orderId))!
      const now = clock.now()
      const closed = (now >= order.expires_at && (await moveOrder(tx, orderId, 'expire', now))) || order
      if ((await spendArrivals(services, tx, closed)) === 'waits') await closeLater(services, tx, closed)
    })
  },
}

export const closeKey = (orderId: string): string => `order:${orderId}`

/** Runs when the quote ends or, after that, when parts go back. */
export const closeLater = ({ clock }: Pick<PaymentServices, 'clock'>, tx: Tx, order: OrderRow): Promise<void> => {
  const runAt = clock.now() < order.expires_at ? order.expires_at : refundAt(order)
  return enqueue(tx, clock, closeOrder, { orderId: order.id }, { key: closeKey(order.id), runAt })
}
