import type { Asset } from '@pennypost/contract/money'
import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    signed_amounts: { counted: Counted; since: Date; amount: string }
  }
}

/** What is counted: amounts by the hour, and by the day what the gas of transactions may cost at most (in wei). */
type Counted = Asset | 'gas'

const lengthMs: Readonly<Record<Counted, number>> = { XNO: 3_600_000, USDC: 3_600_000, gas: 86_400_000 }

interface Limit {
  readonly counted: Counted
  /** Undefined: there is none, and nothing is counted. */
  readonly most: bigint | undefined
}

/**
 * Whether this amount is within the limit of the current hour or day. If so, other signatures wait until this transaction
 * ends. What was signed is in the database, so a restart does not begin a new hour.
 */
export async function isWithin(tx: Tx, { counted, most }: Limit, amount: bigint, now: Date): Promise<boolean> {
  if (most === undefined) return true
  const since = startOf(counted, now)
  await sql`INSERT INTO signed_amounts (counted, since, amount) VALUES (${counted}, ${since}, 0)
    ON CONFLICT DO NOTHING`.execute(tx)
  const { rows } = await sql<{ amount: string }>`
    SELECT amount FROM signed_amounts WHERE counted = ${counted} AND since = ${since} FOR UPDATE`.execute(tx)
  return BigInt(rows[0]!.amount) + amount <= most
}

/** Counts what is signed in this transaction. Call `isWithin` before it. */
export async function count(tx: Tx, { counted, most }: Limit, amount: bigint, now: Date): Promise<void> {
  if (most === undefined) return
  await sql`UPDATE signed_amounts SET amount = amount + ${String(amount)}::numeric
    WHERE counted = ${counted} AND since = ${startOf(counted, now)}`.execute(tx)
  // An hour that is over is of no use.
  await sql`DELETE FROM signed_amounts WHERE counted = ${counted} AND since < ${startOf(counted, now)}`.execute(tx)
}

const startOf = (counted: Counted, now: Date): Date =>
  new Date(Math.floor(now.getTime() / lengthMs[counted]) * lengthMs[counted])
