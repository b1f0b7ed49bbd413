import { z } from 'zod'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/jobs/job.ts'
import type { AccessServices, Job } from '../services.ts'
import { findPayment, type PaymentRow } from './payment-store.ts'
import { settleNano } from './settle-nano.ts'
import { settleUsdc } from './settle-usdc.ts'

const payload = z.object({ paymentId: z.uuid() })

const firstLookMs = 5_000
const longestPauseMs = 300_000
const marginSeconds = 60

/** Comes back to a payment whose buyer was told to wait, or whose process died, until it is settled or cannot be. */
export const settlePayment: Job<typeof payload> = {
  name: 'settle-x402-payment',
  payload,
  queue: ({ paymentId }) => `x402:${paymentId}`,
  attempts: 20,
  concurrency: 2,
  async run(services, { paymentId }) {
    const payment = (await findPayment(services.db, paymentId))!
    if (isOver(services, payment)) return
    const current = await settle(services, payment)
    if (!isOver(services, current)) await services.db.transaction().execute((tx) => settleLater(services, tx, payment))
  },
}

export const settle = (services: AccessServices, payment: PaymentRow): Promise<PaymentRow> =>
  (payment.network === 'nano:mainnet' ? settleNano : settleUsdc)(services, payment)

/** An authorization that we gave up can still be used by whoever saw it, until it is void or its time is over. */
function isOver({ clock }: Pick<AccessServices, 'clock'>, { state, is_final, valid_before }: PaymentRow): boolean {
  if (state !== 'failed') return state === 'settled'
  return is_final || valid_before === null || clock.now().getTime() / 1000 > Number(valid_before) + marginSeconds
}

/** Soon at first, then ever more rarely. */
export function settleLater({ clock }: Pick<AccessServices, 'clock'>, tx: Tx, payment: PaymentRow): Promise<void> {
  const now = clock.now().getTime()
  const pauseMs = Math.min(longestPauseMs, firstLookMs + (now - payment.created_at.getTime()) / 4)
  const runAt = new Date(now + pauseMs)
  return enqueue(tx, clock, settlePayment, { paymentId: payment.id }, { key: `x402:${payment.id}`, runAt })
}
