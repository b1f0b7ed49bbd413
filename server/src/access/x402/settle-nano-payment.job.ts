import { z } from 'zod'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/jobs/job.ts'
import type { Job, Services } from '../../services.ts'
import { findPayment, type PaymentRow } from './payment-store.ts'
import { settleNano } from './settle-nano.ts'

const payload = z.object({ paymentId: z.uuid() })

const firstLookMs = 5_000
const longestPauseMs = 300_000

/** Comes back to a payment whose buyer was told to wait, or whose process died, until it is settled or cannot be. */
export const settleNanoPayment: Job<typeof payload> = {
  name: 'settle-x402-nano',
  payload,
  queue: ({ paymentId }) => `x402:${paymentId}`,
  attempts: 20,
  atMost: 2,
  async run(services, { paymentId }) {
    const payment = (await findPayment(services.db, paymentId))!
    if (payment.state !== 'settling') return
    const { state } = await settleNano(services, payment)
    if (state === 'settling') await services.db.transaction().execute((tx) => settleLater(services, tx, payment))
  },
}

/** Soon at first, then ever more rarely. */
export function settleLater({ clock }: Pick<Services, 'clock'>, tx: Tx, payment: PaymentRow): Promise<void> {
  const now = clock.now().getTime()
  const pauseMs = Math.min(longestPauseMs, firstLookMs + (now - payment.created_at.getTime()) / 4)
  const runAt = new Date(now + pauseMs)
  return enqueue(tx, clock, settleNanoPayment, { paymentId: payment.id }, { key: `x402:${payment.id}`, runAt })
}
