import { sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tx } from '../../platform/database/database.ts'
import type { Job, PaymentServices } from '../services.ts'
import type { PayoutRow } from './payout-store.ts'
import { sendWithLowPriority } from './payouts.job.ts'

const payload = z.object({})
const hourMs = 3_600_000
/** If nothing ran in the hour of the sweep, it is made up for instead of waiting another day. */
const maxWaitMs = 25 * hourMs
const most = 500

/**
 * Sends the commission of a day to the house, in the hour that the operator chose, so that its proof of work keeps no
 * author waiting in the others. If the operator chose no hour, commission is sent with its sale, and what still waits from
 * before is sent now.
 */
export const sweepCommission: Job<typeof payload> = {
  name: 'sweep-commission',
  payload,
  // A quarter of an hour, so that a sweep outlasts an outage within its hour.
  attempts: 10,
  every: 'hour',
  share: 'spare',
  async run(services) {
    const { db, clock, config } = services
    const now = clock.now()
    const isTime = config.commissionSweepHour === undefined || now.getUTCHours() === config.commissionSweepHour
    if (isTime || (await isMissed(db, new Date(now.getTime() - maxWaitMs)))) await sweepAll(services)
  },
}

/** Sends all commission that waits for its sweep. */
export async function sweepAll(services: PaymentServices): Promise<void> {
  const { db, clock } = services
  const before = clock.now()
  let from = new Date(0)
  for (let count = most; count === most; ) {
    const swept = await db.transaction().execute((tx) => sweep(services, tx, { from, before }))
    count = swept.length
    from = swept.at(-1)?.created_at ?? from
  }
}

/**
 * The same for one address whose sends are on the chain already, because the database was restored from a backup. An
 * address belongs to one order, so its commission is found through an index, however much commission waits.
 */
export const sweepAddress = (services: PaymentServices, tx: Tx, addressId: string): Promise<PayoutRow[]> =>
  sweep(services, tx, { from: new Date(0), before: services.clock.now(), addressId })

interface Range {
  readonly from: Date
  readonly before: Date
  readonly addressId?: string
}

/** Commission that nothing is to be sent for yet. */
const waiting = sql`state = 'waiting' AND role = 'house'
  AND NOT EXISTS (SELECT FROM nano_sends WHERE nano_sends.id = payouts.id)`

async function isMissed(db: Db, before: Date): Promise<boolean> {
  const { rows } = await sql`SELECT FROM payouts WHERE ${waiting} AND created_at <= ${before} LIMIT 1`.execute(db)
  return rows.length > 0
}

/** The rows are locked, so that two sweeps do not send the same commission. */
async function sweep(services: PaymentServices, tx: Tx, { from, before, addressId }: Range): Promise<PayoutRow[]> {
  const { rows } = await sql<PayoutRow>`
    SELECT * FROM payouts
    WHERE ${waiting} AND created_at BETWEEN ${from} AND ${before}
      ${addressId === undefined ? sql`` : sql`AND order_id = (SELECT id FROM orders WHERE address_id = ${addressId})`}
    ORDER BY created_at, id LIMIT ${most} FOR UPDATE SKIP LOCKED`.execute(tx)
  for (const payout of rows) await sendWithLowPriority(services, tx, payout)
  return rows
}
