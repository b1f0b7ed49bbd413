import { createHmac } from 'node:crypto'
import { rateLimited, temporarilyUnavailable } from '@pennypost/contract/errors'
import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.ts'
import { clientAddress } from '../../platform/http/client-address.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Payable } from '../../rails/rail.ts'
import type { Settlement } from '../../rails/settlement.ts'
import type { PaymentServices } from '../services.ts'
import type { PaymentRow } from './payment-store.ts'

// Our settler pays for the gas of every USDC payment, whether it succeeds or not. A payment is simulated first, but its
// payer can still make it fail: by moving the money away in between, or by code that tells a simulation from the real
// transaction. So what anyone can make us spend is limited for each payer, each client and each day.

declare module '../../platform/database/tables.ts' {
  interface Tables {
    gas_days: { day: string; sold_wei: string; wasted_wei: string }
  }
}

const minuteMs = 60_000
const dayMs = 86_400_000
const longestWaitMs = dayMs
// Code that made one payment fail is taken to have done it on purpose.
const contractWaitMs = 30 * dayMs
/** A classroom behind one address has honest failures too, but few. */
const maxFailuresOfClient = 20
const maxUnderWayOfClient = 100
// One part in this many of the budget may be wasted before payments by contracts wait for the next day. Payers with a
// plain key can waste little gas, so they are not paused.
const shareOfContracts = 4n

/** A keyed hash of a client's address: enough to recognize the client, but not to find it. */
export const clientOf = ({ secrets }: Pick<PaymentServices, 'secrets'>, ip: string): Buffer =>
  createHmac('sha256', secrets.key('payment-client')).update(clientAddress(ip)).digest().subarray(0, 16)

/** Why this payment is not sent, though it would succeed. Undefined: it is sent. */
export async function gasRefusal(
  { clock, config }: PaymentServices,
  tx: Tx,
  { payer, gas, isContract = false }: Pick<Payable, 'payer' | 'gas' | 'isContract'>,
  client: Buffer,
): Promise<string | undefined> {
  // The gas is not ours to pay.
  if (gas === undefined) return undefined
  const now = clock.now()
  const { sold, wasted } = await gasOfDay(tx, now)
  if (sold + wasted >= config.gasBudgetWei) {
    const detail = 'This site cannot take more USDC payments today. Pay with Nano, or try again tomorrow.'
    refuse(temporarilyUnavailable, {}, { detail, retryAfterSeconds: Math.min(3_600, secondsLeftOf(now)) })
  }
  if (isContract && wasted * shareOfContracts >= config.gasBudgetWei) return 'smart_wallets_paused'
  const since = new Date(now.getTime() - (isContract ? contractWaitMs : dayMs))
  const { rows } = await sql<{ failures: number; last: Date | null }>`
    SELECT count(*)::int AS failures, max(reverted_at) AS last FROM x402_payments
    WHERE payer = ${payer} AND reverted_at > ${since} AND state <> 'settled'`.execute(tx)
  const { failures, last } = rows[0]!
  const waitMs = isContract ? contractWaitMs : Math.min(longestWaitMs, minuteMs * 4 ** (failures - 1))
  if (last && now.getTime() < last.getTime() + waitMs) return 'payer_must_wait'
  const ofClient = await sql<{ failures: number; under_way: number }>`
    SELECT (SELECT count(*)::int FROM x402_payments WHERE client = ${client} AND state <> 'settled'
        AND reverted_at > ${new Date(now.getTime() - dayMs)}) AS failures,
      (SELECT count(*)::int FROM x402_payments WHERE client = ${client} AND state = 'settling') AS under_way`.execute(
    tx,
  )
  const known = ofClient.rows[0]!
  if (known.failures >= maxFailuresOfClient) return 'too_many_failed_payments'
  if (known.under_way >= maxUnderWayOfClient) refuse(rateLimited, {}, { retryAfterSeconds: 5 })
  return undefined
}

interface GasOfDay {
  readonly sold: bigint
  readonly wasted: bigint
}

async function gasOfDay(tx: Tx, now: Date): Promise<GasOfDay> {
  const row = await tx.selectFrom('gas_days').selectAll().where('day', '=', dayOf(now)).executeTakeFirst()
  return { sold: BigInt(row?.sold_wei ?? 0), wasted: BigInt(row?.wasted_wei ?? 0) }
}

const dayOf = (now: Date): string => now.toISOString().slice(0, 10)

const secondsLeftOf = (now: Date): number => Math.ceil((dayMs - (now.getTime() % dayMs)) / 1000)

/** Counts what a payment's transactions have cost, once, and says so before the budget is used up. */
export async function noteGas(services: PaymentServices, { id }: PaymentRow, found: Settlement): Promise<void> {
  if (!('spentWei' in found) || !found.spentWei) return
  const { db, clock, config, log, base } = services
  const isSold = found.kind === 'settled'
  const now = clock.now()
  const { rows } = await sql<{ more: string; day_wei: string }>`
    WITH payment AS (SELECT id, coalesce(fee_wei, 0) AS known FROM x402_payments WHERE id = ${id} FOR UPDATE),
    noted AS (UPDATE x402_payments SET fee_wei = ${found.spentWei},
      reverted_at = ${isSold ? null : now}::timestamptz FROM payment
      WHERE x402_payments.id = payment.id AND payment.known < ${found.spentWei}
      RETURNING ${found.spentWei}::numeric - payment.known AS more)
    INSERT INTO gas_days AS day (day, sold_wei, wasted_wei)
    SELECT ${dayOf(now)}, ${isSold ? sql`more` : sql`0`}, ${isSold ? sql`0` : sql`more`} FROM noted
    ON CONFLICT (day) DO UPDATE SET sold_wei = day.sold_wei + excluded.sold_wei,
      wasted_wei = day.wasted_wei + excluded.wasted_wei
    RETURNING (SELECT more FROM noted)::text AS more, (sold_wei + wasted_wei)::text AS day_wei`.execute(db)
  const counted = rows[0]
  if (!counted) return
  base?.gas.inc({ outcome: isSold ? 'sold' : 'wasted' }, Number(counted.more) / 1e18)
  const [before, after] = [BigInt(counted.day_wei) - BigInt(counted.more), BigInt(counted.day_wei)]
  for (const [part, level] of [
    [2n, 'warn'],
    [1n, 'error'],
  ] as const)
    if (before * part < config.gasBudgetWei && after * part >= config.gasBudgetWei)
      log[level]({ wei: counted.day_wei }, part === 1n ? budgetIsUsedUp : budgetIsHalfUsed)
}

const budgetIsHalfUsed = 'half of BASE_GAS_BUDGET is used up today'
const budgetIsUsedUp = 'BASE_GAS_BUDGET is used up: no more USDC payments are settled until midnight UTC'
